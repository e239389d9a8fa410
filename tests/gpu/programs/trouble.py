"""Ways for a program to be or to end otherwise: ``python trouble.py threads|killed|memory|captured|
forked``"""

import multiprocessing
import os
import signal
import sys
import threading

import torch


@torch.compile(dynamic=True)
def lookup(table, ids):
    return (table[ids] * 2).sum(-1)


def given(call, bad=False):
    generator = torch.Generator().manual_seed(call)
    ids = torch.randint(0, 64, (48 + call % 7,), generator=generator)
    if bad:
        ids[9] = 64
    return ids.cuda()


def threads(table):
    """Two threads, each with its own stream; one of them gets the bad call."""

    def serve(which):
        calls = [given(1000 * which + call, which == 1 and call == 50) for call in range(100)]
        with torch.cuda.stream(torch.cuda.Stream()):
            for ids in calls:
                lookup(table, ids)

    started = [threading.Thread(target=serve, args=(which,)) for which in range(2)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    torch.cuda.synchronize()


def killed(table):
    for call in range(50):
        lookup(table, given(call))
    os.kill(os.getpid(), signal.SIGKILL)


def memory(table):
    for call in range(20):
        lookup(table, given(call))
    lookup(table.expand(64, 32), torch.zeros(1 << 34, dtype=torch.int64, device="cuda"))


def captured(table):
    """A graph that the program captures itself: replays must not change, nor be recorded."""
    ids = given(1)
    lookup(table, ids)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = lookup(table, ids)
    expected = (table[ids] * 2).sum(-1)
    for _ in range(100):
        graph.replay()
    torch.cuda.synchronize()
    assert torch.allclose(result, expected, atol=1e-4)
    print("captured graph: results as they should be")
    ids[3] = 64
    graph.replay()
    torch.cuda.synchronize()


def _child():
    ids = torch.randint(0, 64, (8,))
    lookup(torch.randn(64, 32), ids)


def forked(table):
    """A process that forks children which call models too, and fails itself afterwards."""
    os.environ["CXX"] = "/usr/bin/g++"
    for call in range(30):
        lookup(table, given(call))
    context = multiprocessing.get_context("fork")
    started = [context.Process(target=os.getpid) for _ in range(2)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    for call in range(30):
        lookup(table, given(call, call == 10))
    torch.cuda.synchronize()


table = torch.randn(64, 32, device="cuda")
lookup(table, given(0))
lookup(table, given(1))
torch.cuda.synchronize()
{"threads": threads, "killed": killed, "memory": memory, "captured": captured, "forked": forked}[
    sys.argv[1]
](table)

"""How files and arguments of graphs are named: what is computed from a text, what dynamo says."""

from __future__ import annotations

from aoti_tui.artifacts.graphs.kernel_names import code_file_name, kernel_texts
from aoti_tui.artifacts.graphs.logged_code import CodeReader
from aoti_tui.artifacts.graphs.signatures import (
    arguments_by_line,
    dynamo_arguments,
    model_lines,
)
from tests.cases import DATA

GNN = DATA / "output_code" / "gnn" / "output_code.py"

TRACE = """\
V1130 21:31:58.297000 1128 torch/_dynamo/output_graph.py:2423] {"dynamo_output_graph": {"sizes": \
{}}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0, "has_payload": "1fb2"}
\tclass GraphModule(torch.nn.Module):
\t    def forward(self, s97: "Sym(s97)", L_edge_index_: "i64[s97, 8][8, 1]cuda:0", \
L_self_modules_lin_parameters_weight_: "f32[32, 32][32, 1]cuda:0", \
L_self_buffers_edges_: "f32[5][1]cuda:0"):
V1130 21:31:58.298000 1128 torch/_dynamo/utils.py:2126] {"chromium_event": {}, "has_payload": "1"}
\t{}
"""
READABLE = """\
class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[50, 16]", primals_4: "i64[s23, s27]"):
        # File: /home/app/model.py:172 in forward, code: h = torch.tanh(self.emb(ids)).mean(1)
        embedding: "f32[s23]" = torch.ops.aten.embedding.default(primals_1, primals_4)

        # File: /home/app/model.py:173 in forward, code: return self.fc(h) + self.out(h)
        permute: "f32[16, 12]" = torch.ops.aten.permute.default(primals_5, [1, 0])
        addmm: "f32[s23, 12]" = torch.ops.aten.addmm.default(primals_6, mean, permute)
"""


def test_the_files_of_kernels_have_the_names_that_the_wrapper_comments_on() -> None:
    text = GNN.read_text()
    names = [code_file_name(kernel) for kernel in kernel_texts(text)]
    told = [line.rpartition("/")[2] for line in text.splitlines() if "# kernel path" in line]
    assert names == told


def test_a_trace_names_the_arguments_of_a_graph() -> None:
    reader = CodeReader()
    for _ in reader.watch(TRACE.splitlines(True)):
        pass
    (found,) = reader.found
    arguments = [(one.kind, one.name) for one in dynamo_arguments(found.text)]
    assert arguments == [
        ("number", "s97"),
        ("input", "edge_index"),
        ("parameter", "lin.weight"),
        ("buffer", "edges"),
    ]


def test_a_line_of_the_model_names_a_weight_only_where_it_can_mean_one() -> None:
    lines = model_lines(READABLE)
    assert [(one.line, one.function) for one in lines] == [(172, "forward"), (173, "forward")]
    found = arguments_by_line(lines)
    assert found["primals_1"].name == "emb.weight"
    assert "primals_5" not in found, "two modules are called on that line"

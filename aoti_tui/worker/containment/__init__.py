"""What the worker of an artifact takes away from itself before it reads its first request.

The checks of sources and operators come first; this is behind them. Standard library alone.
"""

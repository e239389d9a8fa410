"""Stand-ins for a GPU: a script that says `cuda` runs on a CPU, and its tensors answer as if.

A tensor "on cuda" is a CPU tensor whose storage is remembered. What a GPU would compute
otherwise (random numbers, tf32) is flagged, never imitated.
"""

"""Runs the slow reference over the traces of a folder: one line of JSON for each, in the order of their names.

oracle_driver.py ORACLE_FOLDER breakdown|structure TRACE_FOLDER
Files whose names agree up to "-TP-" are the ranks of one run (structure only).
"""
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
kind, folder = sys.argv[2], sys.argv[3]

runs = {}
for name in sorted(os.listdir(folder)):
    runs.setdefault(name.split("-TP-")[0], []).append(os.path.join(folder, name))

for name, paths in runs.items():
    if kind == "breakdown":
        import ref_breakdown

        result = ref_breakdown.analyse(paths[0])
    else:
        import ref_structure

        result = ref_structure.analyse(paths)
    print(json.dumps({"name": name, "result": result}, default=str))

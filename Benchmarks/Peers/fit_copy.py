"""fit-tool reads a FIT file and writes it again. It prints the nanoseconds of the writing only, which is
what an export does.

  fit_copy.py FILE ROUNDS COPY"""
import sys
import time

from fit_tool.fit_file import FitFile
from fit_tool.fit_file_builder import FitFileBuilder

file, rounds, copy = sys.argv[1], int(sys.argv[2]), sys.argv[3]
messages = [record.message for record in FitFile.from_file(file).records if not record.is_definition]
for _ in range(rounds):
    begin = time.perf_counter_ns()
    builder = FitFileBuilder(auto_define=True)
    builder.add_all(messages)
    builder.build().to_file(copy)
    print(time.perf_counter_ns() - begin, flush=True)

// Lets a child go on for so many system calls and kills it there, for tests of what a cut in power leaves behind. Swift sees no
// ptrace, which is variadic.
#pragma once

/// Stops a child of this process, which is the calling thread's to trace from then on. -1 where that fails.
int stop_child(int process);

/// Lets a child that was stopped go on, and kills it at the beginning or end of a system call: the `count`th of these moments.
/// 1: killed there; 0: before that, `answer` had something to read; -1: it ended by itself, or nothing happened for 20 s.
int kill_child_at(int process, int count, int answer);

// Kills a child at a chosen system call, for tests of what a power cut leaves behind. It is in C,
// because Swift cannot call ptrace, which is variadic.
#pragma once

/// Stops a child of this process. From then on the calling thread traces it. -1 on failure.
int stop_child(int process);

/// Continues a stopped child, and kills it when it has entered or left system calls `count` times.
/// 1: killed there; 0: `answer` became readable before that; -1: the child ended by itself, or
/// nothing happened for 20 s.
int kill_child_at(int process, int count, int answer);

// Counts the stops of a traced child, and polls for its reply between them.
#include "system_call_tracer.h"

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

int stop_child(int process) {
  int status;
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, process, 0, options) != 0 || ptrace(PTRACE_INTERRUPT, process, 0, 0) != 0) return -1;
  return waitpid(process, &status, 0) == process && WIFSTOPPED(status) ? 0 : -1;
}

/// 1: stopped; 0: the reply arrived first; -1: the child ended, or took too long.
static int next_stop(int process, int answer, int *status) {
  for (int millisecond = 0; millisecond < 20000; millisecond++) {
    pid_t found = waitpid(process, status, WNOHANG);
    if (found != 0) return found == process && WIFSTOPPED(*status) ? 1 : -1;
    struct pollfd reply = {.fd = answer, .events = POLLIN};
    if (poll(&reply, 1, 1) > 0) return 0;
  }
  return -1;
}

int kill_child_at(int process, int count, int answer) {
  int status, signal = 0;
  while (count > 0) {
    if (ptrace(PTRACE_SYSCALL, process, 0, signal) != 0) return -1;
    int stopped = next_stop(process, answer, &status);
    if (stopped != 1) return stopped;
    int isSystemCall = WSTOPSIG(status) == (SIGTRAP | 0x80);
    count -= isSystemCall;
    // Any other stop is a signal that has to be delivered to the child.
    signal = isSystemCall || status >> 16 ? 0 : WSTOPSIG(status);
  }
  return kill(process, SIGKILL) == 0 ? 1 : -1;
}

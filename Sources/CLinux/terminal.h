// What a terminal was like before this program changed it, and giving it back: at the end, when interrupted, and while stopped.
// In C because a signal's handler may do nothing that Swift's runtime could be in the middle of.
#ifndef CYCLOMETER_TERMINAL_H
#define CYCLOMETER_TERMINAL_H
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

// What is drawn that whoever comes after must not see. Terminal.Drawing has the same numbers.
enum {
  CYCLOMETER_DRAWS_NOTHING,
  CYCLOMETER_DRAWS_LINE,    // progress on standard error
  CYCLOMETER_DRAWS_BELOW,   // lines that are drawn over, without a cursor
  CYCLOMETER_DRAWS_SCREEN,  // the whole of it, on the alternate screen
  CYCLOMETER_DRAWS_QUESTION,  // on standard error; the answer is typed behind it
};

struct cyclometer_terminal {
  volatile sig_atomic_t drawing;
  // How many of the lines BELOW, after the first, are worth keeping when the program is ended.
  volatile sig_atomic_t kept;
  volatile sig_atomic_t reads_keys;
  // Set when the terminal has another size, or is this program's again after it was stopped.
  volatile sig_atomic_t is_changed;
  // A socket to which that is told, or 0.
  volatile sig_atomic_t waker;
  struct termios ordinary, keys;
};

// In a function, for the importer emits no variable of a header.
static inline struct cyclometer_terminal *cyclometer_terminal(void) {
  static struct cyclometer_terminal terminal;
  return &terminal;
}

static inline void cyclometer_terminal_write(const char *text, int count, int descriptor) {
  // Nothing can be done about a terminal that is gone.
  if (write(descriptor, text, count) < 0) return;
}
#define CYCLOMETER_TERMINAL_WRITE(text, descriptor) cyclometer_terminal_write(text, sizeof(text) - 1, descriptor)

// Gives the terminal back as it was found. What is remembered stays, for `cyclometer_terminal_take`.
static inline void cyclometer_terminal_give_back(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->reads_keys) tcsetattr(0, TCSANOW, &terminal->ordinary);
  switch (terminal->drawing) {
  case CYCLOMETER_DRAWS_LINE: CYCLOMETER_TERMINAL_WRITE("\r\033[K", 2); break;
  case CYCLOMETER_DRAWS_BELOW: CYCLOMETER_TERMINAL_WRITE("\r\033[J\033[?25h", 1); break;
  case CYCLOMETER_DRAWS_SCREEN: CYCLOMETER_TERMINAL_WRITE("\033[?25h\033[?1049l", 1); break;
  default: break;
  }
}

// Before it is given back for good: what was found stays on the screen, and whoever comes after begins on a line of their own.
static inline void cyclometer_terminal_leave(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->drawing == CYCLOMETER_DRAWS_QUESTION) CYCLOMETER_TERMINAL_WRITE("\n", 2);
  if (terminal->drawing != CYCLOMETER_DRAWS_BELOW || terminal->kept == 0) return;
  // The first line, which says what goes on, is taken out; the cursor ends below the others.
  CYCLOMETER_TERMINAL_WRITE("\r\033[M", 1);
  for (int line = 0; line < terminal->kept; line++) CYCLOMETER_TERMINAL_WRITE("\n", 1);
}

// Prepares the terminal for what is drawn and read now.
static inline void cyclometer_terminal_take(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->reads_keys) tcsetattr(0, TCSANOW, &terminal->keys);
  if (terminal->drawing == CYCLOMETER_DRAWS_BELOW) CYCLOMETER_TERMINAL_WRITE("\033[?25l", 1);
  if (terminal->drawing == CYCLOMETER_DRAWS_SCREEN) CYCLOMETER_TERMINAL_WRITE("\033[?1049h\033[?25l\033[2J", 1);
}

// The new way of drawing; the old one is undone first.
static inline void cyclometer_terminal_draw(int drawing) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->drawing == drawing) return;
  int reads_keys = terminal->reads_keys;
  terminal->reads_keys = 0;
  if (terminal->drawing != CYCLOMETER_DRAWS_LINE) cyclometer_terminal_give_back();
  terminal->drawing = drawing;
  terminal->kept = 0;
  cyclometer_terminal_take();
  terminal->reads_keys = reads_keys;
}

static inline void cyclometer_terminal_keep(int lines) { cyclometer_terminal()->kept = lines; }

// Each key when it is pressed, and not shown; Ctrl-C stays an interruption. -1 where standard input is no terminal.
static inline int cyclometer_terminal_read_keys(int reads) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->reads_keys == reads) return 0;
  if (!reads) {
    terminal->reads_keys = 0;
    return tcsetattr(0, TCSANOW, &terminal->ordinary);
  }
  if (tcgetattr(0, &terminal->ordinary) < 0) return -1;
  terminal->keys = terminal->ordinary;
  terminal->keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  terminal->keys.c_cc[VMIN] = 1;
  terminal->keys.c_cc[VTIME] = 0;
  if (tcsetattr(0, TCSANOW, &terminal->keys) < 0) return -1;
  terminal->reads_keys = 1;
  return 0;
}

static inline int cyclometer_terminal_was_changed(void) {
  int was_changed = cyclometer_terminal()->is_changed;
  cyclometer_terminal()->is_changed = 0;
  return was_changed;
}

// Tells changes to a socket from now on; 0 for none.
static inline void cyclometer_terminal_wake(int waker) { cyclometer_terminal()->waker = waker; }

// 0 where it is no terminal, or one that does not know its size.
static inline struct winsize cyclometer_terminal_size(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) size.ws_col = size.ws_row = 0;
  return size;
}

static inline void cyclometer_terminal_note_change(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  int code = errno;
  terminal->is_changed = 1;
  // A full one is readable already.
  if (terminal->waker > 0 && send(terminal->waker, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) errno = code;
}

static inline void cyclometer_terminal_handle_signal(int number) {
  if (number == SIGWINCH) {
    cyclometer_terminal_note_change();
  } else if (number == SIGCONT) {
    cyclometer_terminal_note_change();
    cyclometer_terminal_take();
  } else if (number == SIGINT) {
    cyclometer_terminal_leave();
    cyclometer_terminal_give_back();
    _exit(130);
  } else {
    // As if there were no handler: stopped by SIGTSTP, ended by the others.
    if (number != SIGTSTP) cyclometer_terminal_leave();
    cyclometer_terminal_give_back();
    signal(number, SIG_DFL);
    raise(number);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    // Here again after SIGCONT.
    signal(number, cyclometer_terminal_handle_signal);
  }
}

// Unblocked as well: who is started by a thread that blocks signals (any of Dispatch's) inherits that.
static inline void cyclometer_end_on_interrupt(void) {
  static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
  sigset_t set;
  sigemptyset(&set);
  for (unsigned each = 0; each < sizeof numbers / sizeof *numbers; each++) {
    // What whoever started this program ignores (nohup's SIGHUP) stays ignored.
    struct sigaction action;
    if (sigaction(numbers[each], NULL, &action) < 0 || action.sa_handler == SIG_IGN) continue;
    signal(numbers[each], cyclometer_terminal_handle_signal);
    sigaddset(&set, numbers[each]);
  }
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}
#endif

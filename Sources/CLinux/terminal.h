// Remembers the state of the terminal and restores it: at exit, when interrupted, and while
// stopped. In C because a signal handler must not use Swift's runtime.
#ifndef CYCLOMETER_TERMINAL_H
#define CYCLOMETER_TERMINAL_H
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

// What is drawn and must be undone for the next program. Terminal.Drawing has the same numbers.
enum {
  CYCLOMETER_DRAWS_NOTHING,
  CYCLOMETER_DRAWS_LINE,    // progress on standard error
  CYCLOMETER_DRAWS_BELOW,   // lines that are redrawn in place, without a cursor
  CYCLOMETER_DRAWS_SCREEN,  // the whole screen, as the alternate screen
  CYCLOMETER_DRAWS_QUESTION,  // on standard error; the answer is typed after it
};

struct cyclometer_terminal {
  volatile sig_atomic_t drawing;
  // How many of the lines BELOW, after the first, remain when the program is interrupted.
  volatile sig_atomic_t kept;
  volatile sig_atomic_t reads_keys;
  // Set when the size of the terminal has changed, or the program continues after a stop.
  volatile sig_atomic_t is_changed;
  // A socket that is notified of that, or 0.
  volatile sig_atomic_t waker;
  struct termios ordinary, keys;
};

// A function, because the importer cannot use variables in a header.
static inline struct cyclometer_terminal *cyclometer_terminal(void) {
  static struct cyclometer_terminal terminal;
  return &terminal;
}

static inline void cyclometer_terminal_write(const char *text, int count, int descriptor) {
  // Nothing can be done about a terminal that is gone.
  if (write(descriptor, text, count) < 0) return;
}
#define CYCLOMETER_TERMINAL_WRITE(text, descriptor) cyclometer_terminal_write(text, sizeof(text) - 1, descriptor)

// Restores the terminal. The state is kept for `cyclometer_terminal_take`.
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

// Called before the terminal is restored for good: kept lines remain on the screen, and the next
// program begins on a new line.
static inline void cyclometer_terminal_leave(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->drawing == CYCLOMETER_DRAWS_QUESTION) CYCLOMETER_TERMINAL_WRITE("\n", 2);
  if (terminal->drawing != CYCLOMETER_DRAWS_BELOW || terminal->kept == 0) return;
  // Removes the first line, which shows the progress; the cursor ends below the others.
  CYCLOMETER_TERMINAL_WRITE("\r\033[M", 1);
  for (int line = 0; line < terminal->kept; line++) CYCLOMETER_TERMINAL_WRITE("\n", 1);
}

// Prepares the terminal for the current drawing and reading mode.
static inline void cyclometer_terminal_take(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  if (terminal->reads_keys) tcsetattr(0, TCSANOW, &terminal->keys);
  if (terminal->drawing == CYCLOMETER_DRAWS_BELOW) CYCLOMETER_TERMINAL_WRITE("\033[?25l", 1);
  if (terminal->drawing == CYCLOMETER_DRAWS_SCREEN) CYCLOMETER_TERMINAL_WRITE("\033[?1049h\033[?25l\033[2J", 1);
}

// Changes what is drawn; the previous drawing is undone first.
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

// Reads keys as they are pressed, without echo; Ctrl-C still interrupts. Returns -1 if standard
// input is not a terminal.
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

// Sets the socket that is notified of changes; 0 for none.
static inline void cyclometer_terminal_wake(int waker) { cyclometer_terminal()->waker = waker; }

// Zero if it is not a terminal or its size is unknown.
static inline struct winsize cyclometer_terminal_size(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) size.ws_col = size.ws_row = 0;
  return size;
}

static inline void cyclometer_terminal_note_change(void) {
  struct cyclometer_terminal *terminal = cyclometer_terminal();
  int code = errno;
  terminal->is_changed = 1;
  // If the socket is full, it is readable already.
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
    // Like the default action: SIGTSTP stops, the others end the process.
    if (number != SIGTSTP) cyclometer_terminal_leave();
    cyclometer_terminal_give_back();
    signal(number, SIG_DFL);
    raise(number);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    // Continues here after SIGCONT.
    signal(number, cyclometer_terminal_handle_signal);
  }
}

// The signals are also unblocked, because a program inherits the blocked signals of the thread that
// started it (such as Dispatch's threads).
static inline void cyclometer_end_on_interrupt(void) {
  static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
  sigset_t set;
  sigemptyset(&set);
  for (unsigned each = 0; each < sizeof numbers / sizeof *numbers; each++) {
    // Signals that were ignored at start, such as SIGHUP with nohup, stay ignored.
    struct sigaction action;
    if (sigaction(numbers[each], NULL, &action) < 0 || action.sa_handler == SIG_IGN) continue;
    signal(numbers[each], cyclometer_terminal_handle_signal);
    sigaddset(&set, numbers[each]);
  }
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}
#endif

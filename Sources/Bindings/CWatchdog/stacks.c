#define _GNU_SOURCE
#include "CWatchdog.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAMES = 64, MAX_NAME = 32, PATIENCE_NS = 200 * 1000 * 1000 };

// The stack of the thread that was asked last. The walk asks one thread at a time, and reads this after the answer.
static void *frames[MAX_FRAMES];
static int frame_count;
// The thread that is to answer. A thread that answers too late finds another number and leaves everything alone.
static _Atomic pid_t asked;
static sem_t answered;

// libdispatch blocks most signals in its threads, and so in all threads that these start. This is one that it does not.
enum { STACK_SIGNAL = SIGPROF };

static void read_stack(int number) {
  (void)number;
  int saved = errno;
  pid_t self = (pid_t)syscall(SYS_gettid);
  pid_t expected = self;
  // Minus the number: the walk must wait for this thread now, however long it takes.
  if (atomic_compare_exchange_strong(&asked, &expected, -self)) {
    frame_count = backtrace(frames, MAX_FRAMES);
    sem_post(&answered);
  }
  errno = saved;
}

void cwatchdog_prepare(void) {
  // The first call loads the unwinder, which a signal handler must not do.
  void *first[1];
  backtrace(first, 1);
  static atomic_flag is_prepared = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_prepared)) return;
  sem_init(&answered, 0, 0);
  struct sigaction action = {.sa_handler = read_stack, .sa_flags = SA_RESTART};
  sigaction(STACK_SIGNAL, &action, NULL);
}

static void read_name(pid_t thread, char name[MAX_NAME]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = descriptor < 0 ? 0 : read(descriptor, name, MAX_NAME - 1);
  if (descriptor >= 0) close(descriptor);
  if (length < 0) length = 0;
  name[length] = 0;
  name[strcspn(name, "\n")] = 0;
}

// Returns whether the thread has written its stack to `frames`.
static bool ask(pid_t thread) {
  atomic_store(&asked, thread);
  if (syscall(SYS_tgkill, getpid(), thread, STACK_SIGNAL) != 0) return false;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += PATIENCE_NS;
  if (end.tv_nsec >= 1000000000) {
    end.tv_sec += 1;
    end.tv_nsec -= 1000000000;
  }
  while (sem_timedwait(&answered, &end) != 0) {
    if (errno == EINTR) continue;
    // From here on the thread leaves `frames` alone, unless it has begun to answer.
    pid_t expected = thread;
    if (atomic_compare_exchange_strong(&asked, &expected, 0)) return false;
    while (sem_wait(&answered) != 0) {
    }
    return true;
  }
  return true;
}

void cwatchdog_visit_stacks(void *context, void (*visit)(void *context, const cwatchdog_stack *stack)) {
  cwatchdog_prepare();
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return;
  pid_t self = (pid_t)syscall(SYS_gettid);
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread <= 0 || thread == self) continue;
    char name[MAX_NAME];
    read_name(thread, name);
    bool has_answered = ask(thread);
    cwatchdog_stack stack = {.thread_id = thread,
                             .name = name,
                             .frames = has_answered ? frames : NULL,
                             .count = has_answered && frame_count > 0 ? (size_t)frame_count : 0};
    visit(context, &stack);
  }
  closedir(threads);
}

size_t cwatchdog_locate(const void *address, const char **file, const char **symbol) {
  Dl_info info;
  *file = NULL;
  *symbol = NULL;
  if (dladdr(address, &info) == 0) return (size_t)address;
  *file = info.dli_fname;
  *symbol = info.dli_sname;
  return (size_t)((const char *)address - (const char *)info.dli_fbase);
}

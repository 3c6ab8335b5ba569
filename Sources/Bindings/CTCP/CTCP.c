#include "CTCP.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

bool CTCP_read_progress(int descriptor, CTCP_progress *progress) {
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  if (length < offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd) return false;
  progress->window = info.tcpi_snd_wnd;
  progress->acknowledged = info.tcpi_bytes_acked;
  progress->received = info.tcpi_bytes_received;
  return true;
}

void CTCP_ask_for_window(int descriptor) {
  const int on = 1, second = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof second);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof second);
}

#!/bin/sh
# `netexec --http-port=N`, as the suite's image agnhost has it, by busybox alone: /hostname, /clientip, /echo?msg=TEXT, everything else is fine. Connections are kept open.
if [ "$1" != answer ]; then
  port=8080
  for flag; do case $flag in --http-port=*) port=${flag#*=} ;; esac; done
  trap 'exit 0' TERM INT
  nc -ll -p "$port" -e /bin/netexec answer &
  wait $!
  exit
fi
client() { # The address at the other end of standard input, from the kernel's table of connections.
  inode=$(readlink /proc/self/fd/0 | tr -dc 0-9)
  for end in $(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v inode="$inode" '$10 == inode { print $3 }'); do
    hex=${end%:*} port=$((0x${end#*:}))
    case $hex in
      ????????) ;;
      0000000000000000FFFF0000*) hex=${hex#0000000000000000FFFF0000} ;;
      *) six=
        for word in $(echo "$hex" | sed 's/......../& /g'); do
          six=$six$(echo "$word" | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3:\2\1:/')
        done
        echo "[${six%:}]:$port"; return ;;
    esac
    set -- $(echo "$hex" | sed 's/../0x& /g')
    echo "$(($4)).$(($3)).$(($2)).$(($1)):$port"
  done
}
while read -r _ path _; do
  while read -r header && [ "${#header}" -gt 1 ]; do :; done
  case $path in
    /hostname*) body=$(hostname) ;;
    /clientip*) body=$(client) ;;
    /echo*) body=${path#*msg=} ;;
    *) body=ok ;;
  esac
  printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body"
done

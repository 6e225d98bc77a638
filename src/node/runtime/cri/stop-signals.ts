/** `Signal` of the Container Runtime Interface, by number: names in the alphabet's order, 0 is the image's own. */
const NAMES = [
  ...'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG'.split(
    ' ',
  ),
  ...'USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN'.split(' '),
  ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `RTMAX-${14 - i}`),
  'RTMAX',
] as const

/** `SIGUSR1` as a number of the interface. */
export const signalNumber = (name: string | undefined): number => (name === undefined ? 0 : NAMES.indexOf(name.replace(/^SIG/, '')) + 1)

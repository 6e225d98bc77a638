import type { RootStep } from './root-plan.ts'

export interface RootScript {
  /** The folder of this machine that becomes the root. */
  readonly root: string
  readonly steps: readonly RootStep[]
  readonly uid: number
  readonly gid: number
  /** It is there. */
  readonly workingDir: string
  readonly environment: Readonly<Record<string, string>>
  /** What runs there, by its path. */
  readonly words: readonly string[]
}

/** The devices that containers have. */
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/** The descriptor by which the script reports that the process begins. */
export const READY_FD = 3

/** What a shell exports without change. The others are variables of its own, or no names for it; or they change what it starts. */
const EXPORTED =
  /^(?!(_|BASH.*|COMP.*|DIRSTACK|ENV|EPOCH.*|EUID|FUNCNAME|GROUPS|HIST.*|HOSTTYPE|IFS|LANG|LC_.*|LD_.*|LINENO|MACHTYPE|MAIL.*|OLDPWD|OPT.*|OSTYPE|PIPESTATUS|POSIXLY_CORRECT|PPID|PS\d|PWD|RANDOM|READLINE.*|REPLY|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TIMEFORMAT|TMOUT|UID)$)[A-Za-z_]\w*$/

/**
 * A shell script that makes a root folder and runs a program there, as the pod's user: to this machine it is the user who started the
 * cluster. It needs `mount` and `unshare` of util-linux.
 */
export function rootScript({ root, steps, uid, gid, workingDir, environment, words }: RootScript): string {
  const variables = Object.entries(environment)
  // Every user of the machine can read the words of a process, and variables may hold secrets: few are among the words, for a moment.
  const others = variables.filter(([name]) => !EXPORTED.test(name)).map(([name, value]) => quote(`${name}=${value}`))
  const at = (path: string) => quote(root + path)
  return [
    `mount -t tmpfs -o mode=755 tmpfs ${quote(root)}`,
    ...steps.map((step) => lineOf(step, at)),
    `mkdir -p ${at('/proc')} ${at('/dev')}`,
    `mount -t proc proc ${at('/proc')}`,
    ...DEVICES.flatMap((name) => [`: > ${at(`/dev/${name}`)}`, `mount --bind /dev/${name} ${at(`/dev/${name}`)}`]),
    `mkdir -p -m 1777 ${at('/dev/shm')}`,
    `ln -sfn /proc/self/fd ${at('/dev/fd')}`,
    ...['stdin', 'stdout', 'stderr'].map((name, fd) => `ln -sfn /proc/self/fd/${fd} ${at(`/dev/${name}`)}`),
    `echo ready >&${READY_FD}`,
    `exec ${READY_FD}>&-`,
    'set -- "$(command -v unshare)" "$(command -v env)"',
    'unset PATH PWD OLDPWD SHLVL',
    ...variables.flatMap(([name, value]) => (EXPORTED.test(name) ? [`export ${name}=${quote(value)}`] : [])),
    [
      `exec "$1" --user --map-user=${uid} --map-group=${gid} --root=${quote(root)} --wd=${quote(workingDir)} --`,
      ...(others.length > 0 ? ['"$2"', ...others] : []),
      ...words.map(quote),
    ].join(' '),
  ].join('\n')
}

function lineOf(step: RootStep, at: (path: string) => string): string {
  const place = at(step.path)
  switch (step.do) {
    case 'folder':
      return `mkdir -p ${place}`
    case 'file':
      return `[ -e ${place} ] || : > ${place}`
    case 'link':
      return `ln -s ${quote(step.target)} ${place}`
    case 'keep':
      return `[ ! -e ${quote(step.path)} ] || mount --rbind ${quote(step.path)} ${place} || [ ! -e ${quote(step.path)} ]`
    case 'bind':
      return `mount --rbind ${quote(step.source)} ${place}${step.readOnly ? `\nmount -o remount,bind,ro ${place}` : ''}`
  }
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

import { type SimulatedAnnotationName, simulatedKey } from '../../../machinery/simulated-annotations.ts'
import type { ContainerSpec, SandboxSpec } from '../container-spec.ts'
import type { ExecResult } from '../runtime.ts'
import type { RuntimeErrorCode } from '../runtime-error.ts'
import type { UnknownPrograms } from './unknown-programs.ts'
import { isBareImage, lastName, wordsOf } from './words.ts'

/** The behaviour of a simulated container. */
export interface Behaviour {
  /** Milliseconds until it ends by itself; undefined (and infinity) runs for ever, 0 ends at once. */
  readonly runMs?: number
  readonly exitCode?: number
  /** The reason of its end; default `Completed` or `Error`, as in containerd; `''` sets none. */
  readonly reason?: string
  /** Its termination message. */
  readonly message?: string
  /** Its output at the start. */
  readonly logs?: readonly string[]
  /** Milliseconds from its start until its probes succeed. Default 0. */
  readonly readyMs?: number
  /** Its reaction to SIGTERM: by default it ends at once with 143. */
  readonly onStop?: { readonly afterMs?: number; readonly exitCode?: number } | 'ignore'
  /** Only its command is known: a shipped program of that name runs, if there is one. Default false. */
  readonly byCommand?: boolean
  /** Nothing runs in it, unless a program does: this is the first line of its log, and an event. */
  readonly remark?: string
}

/** A registry's response for an image. */
export type ImageBehaviour =
  | {
      readonly kind: 'found'
      readonly sizeBytes: number
      /** The duration of a pull in milliseconds. Default 0. */
      readonly pullMs?: number
      readonly uid?: number
      readonly username?: string
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failing'; readonly code: RuntimeErrorCode; readonly message: string }

/** The container for which a script is called. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec
  readonly sandbox: SandboxSpec
}

/** The behaviour of a command that is run inside a container. */
export interface ExecBehaviour extends Partial<ExecResult> {
  readonly takesMs?: number
}

/** The behaviour of a simulated node's containers; replace it for other behaviour. */
export interface Script {
  /** Called when a container starts. */
  container(container: SimulatedContainer): Behaviour
  image(name: string): ImageBehaviour
  /** Undefined: an unknown command; probes that run it succeed. */
  exec?(container: SimulatedContainer, command: readonly string[]): ExecBehaviour | undefined
}

/**
 * The content of simulated images is unknown. Except for base images they run as a non-root user, so that charts with `runAsNonRoot` work.
 */
const NON_ROOT = 65_532

/**
 * The default script, with a rule for containers of which nothing is known but their image.
 * - `succeed`: they run for ever; those that other objects wait for end with 0 after a second;
 * - `run`: all run for ever;
 * - `fail`: all end at once with 127, as for a command that is not found.
 * Their logs and an event say so.
 */
export function scriptOf(unknownPrograms: UnknownPrograms): Script {
  return { ...COMMANDS_AND_IMAGES, container: (container) => behaviourOf(container, unknownPrograms) }
}

function behaviourOf({ spec, sandbox }: SimulatedContainer, unknownPrograms: UnknownPrograms): Behaviour {
  const said = fromAnnotations(sandbox.annotations, spec.name)
  const typed = fromCommand([...spec.command, ...spec.args])
  const byCommand = wordsOf(spec).length > 0 && Object.keys(typed).length === 0 && Object.keys(said).length === 0
  const known: Behaviour = { ...fromImage(spec), ...typed, ...said }
  if (known.runMs !== undefined) return { ...known, ...(byCommand && { byCommand }) }
  const unknown = UNKNOWN[unknownPrograms](spec, sandbox)
  const remark = `there is no program for ${spec.image}: ${OUTCOMES[outcomeOf(unknown)]}`
  return { ...unknown, ...known, ...(byCommand && { byCommand }), ...(!isInert(spec) && { remark }) }
}

const COMMANDS_AND_IMAGES: Omit<Script, 'container'> = {
  image: (name) => (isMissing(name) ? { kind: 'missing' } : { kind: 'found', sizeBytes: 1000, uid: isBareImage(name) ? 0 : NON_ROOT }),
  exec(_container, command) {
    const { runMs, exitCode, logs } = fromCommand(command)
    if (runMs === undefined) return undefined
    return { exitCode: exitCode ?? 0, stdout: (logs ?? []).map((l) => `${l}\n`).join(''), takesMs: runMs }
  },
}

/**
 * The default script. Containers run for ever, unless
 * - annotations of the pod say otherwise: `run-seconds`, `exit-code`, `ready-seconds`, `stop-seconds`, `logs`;
 * - the command is a known one: `true`, `false`, `sleep N`, `exit N`, `echo TEXT`, also behind `sh -c`; other scripts run in the shell of
 * `src/shell`, in which unknown programs behave as the container would;
 * - the image is `pause`, which runs for ever also where other objects wait for it;
 * - the image's name begins with `done` (ends with 0), `fail` (ends with 3) or `missing` (pull fails, as for a tag `404`, `missing`,
 * `nonexistent` or `non-existent`, and for any image of a registry under `invalid`);
 * - other objects wait for them: init containers, and pods of a Job or a helm hook, end with 0 after a moment.
 */
export const defaultScript = scriptOf('succeed')

/** Names that manifests use for images that do not exist. */
const isMissing = (image: string) =>
  /^missing/.test(baseName(image)) || /:(404|missing|non-?existent)$/.test(image) || /^(invalid|[^/]+\.invalid)[.:/]/.test(image)

const baseName = (image: string) => image.slice(image.lastIndexOf('/') + 1)

/** The duration of an unknown job. */
const JOB_MS = 1000
/** Labels that the job controller (current and older versions) adds to pods. */
const JOB_LABELS = ['batch.kubernetes.io/job-name', 'job-name']

type UnknownRule = (spec: ContainerSpec, sandbox: SandboxSpec) => Behaviour

const UNKNOWN: Readonly<Record<UnknownPrograms, UnknownRule>> = {
  succeed: fromOwner,
  run: () => ({}),
  fail: () => ({ runMs: 0, exitCode: 127 }),
}

const OUTCOMES = {
  runs: 'nothing runs in the container',
  succeeds: 'nothing ran, and the container succeeds',
  fails: 'nothing ran',
} as const

const outcomeOf = ({ runMs, exitCode }: Behaviour): keyof typeof OUTCOMES =>
  runMs === undefined ? 'runs' : exitCode === 0 ? 'succeeds' : 'fails'

/** The image that waits until it is stopped. */
const isPause = (spec: ContainerSpec) => lastName(spec.image) === 'pause'

/** Images that do nothing by themselves, on any node. */
const isInert = (spec: ContainerSpec) => isPause(spec) || (isBareImage(spec.image) && wordsOf(spec).length === 0)

/** Init containers and pods of Jobs or hooks end, because other objects wait for them. A sidecar runs as long as the main containers. */
function fromOwner({ sidecar, init }: ContainerSpec, { labels, annotations }: SandboxSpec): Behaviour {
  if (sidecar === true) return {}
  const awaited = init === true || JOB_LABELS.some((label) => labels[label] !== undefined) || annotations['helm.sh/hook'] !== undefined
  return awaited ? { runMs: JOB_MS, exitCode: 0 } : {}
}

function fromImage(spec: ContainerSpec): Behaviour {
  const name = baseName(spec.image)
  if (isPause(spec) && wordsOf(spec).length === 0) return { runMs: Number.POSITIVE_INFINITY }
  if (/^done/.test(name)) return { runMs: 0, exitCode: 0 }
  if (/^fail/.test(name)) return { runMs: 0, exitCode: 3 }
  return {}
}

function fromAnnotations(annotations: Readonly<Record<string, string>>, container: string): Behaviour {
  const read = (name: SimulatedAnnotationName) => annotations[simulatedKey(name, container)] ?? annotations[simulatedKey(name)]
  const seconds = (name: SimulatedAnnotationName) => {
    const n = Number(read(name))
    return read(name) !== undefined && Number.isFinite(n) && n >= 0 ? n * 1000 : undefined
  }
  const runMs = read('run-seconds') === 'forever' ? Number.POSITIVE_INFINITY : seconds('run-seconds')
  const readyMs = seconds('ready-seconds')
  const stopMs = seconds('stop-seconds')
  const exitCode = Number(read('exit-code') ?? Number.NaN)
  const logs = read('logs')
  return {
    ...(runMs === undefined ? {} : { runMs }),
    ...(readyMs === undefined ? {} : { readyMs }),
    ...(stopMs === undefined ? {} : { onStop: { afterMs: stopMs } }),
    ...(Number.isInteger(exitCode) && exitCode >= 0 && exitCode < 256 ? { exitCode, runMs: runMs ?? 0 } : {}),
    ...(logs === undefined ? {} : { logs: logs.split('\n') }),
  }
}

function fromCommand(words: readonly string[]): Behaviour {
  const inShell = /^(?:.*\/)?(?:ba|a|da)?sh$/.test(words[0] ?? '') && words[1] === '-c'
  const script = inShell ? (words[2] ?? '') : words.join(' ')
  let runMs: number | undefined
  let exitCode = 0
  const logs: string[] = []
  for (const step of script.split(/;|&&|\n/).map((s) => s.trim())) {
    const sleep = /^sleep (\d+(?:\.\d+)?)$/.exec(step)
    const exit = /^exit (\d{1,3})$/.exec(step)
    const echo = /^echo (?:-n )?(.*)$/.exec(step)
    // Variables, redirections and pipes need the shell.
    if (inShell && /[$`\\<>|&()*?#]/.test(step)) return {}
    // So does output after a sleep, or before a failure.
    if ((echo && runMs !== undefined && runMs > 0) || (exit && exit[1] !== '0' && logs.length > 0)) return {}
    if (sleep) runMs = (runMs ?? 0) + Number(sleep[1]) * 1000
    else if (echo) logs.push((echo[1] ?? '').replace(/^(['"])(.*)\1$/, '$2'))
    else if (exit) return { runMs: runMs ?? 0, exitCode: Number(exit[1]) & 255, logs }
    else if (step === 'true' || step === 'false') exitCode = step === 'true' ? 0 : 1
    else if (step !== '') return {}
    if (step === 'true' || step === 'false' || echo) runMs ??= 0
  }
  return runMs === undefined ? {} : { runMs, exitCode, ...(logs.length > 0 ? { logs } : {}) }
}

import { type SimulatedAnnotationName, simulatedKey } from '../../../machinery/simulated-annotations.ts'
import type { ContainerSpec, SandboxSpec } from '../container-spec.ts'
import type { ExecResult, RuntimeErrorCode } from '../runtime.ts'
import { isBareImage, wordsOf } from './words.ts'

/** What a simulated container does. */
export interface Behaviour {
  /** Milliseconds until it ends by itself; undefined (and infinity) runs for ever, 0 ends at once. */
  readonly runMs?: number
  readonly exitCode?: number
  /** How its end is named; default `Completed` or `Error`, as containerd does; `''` gives no name. */
  readonly reason?: string
  /** What it writes as its termination message. */
  readonly message?: string
  /** What it prints when it starts. */
  readonly logs?: readonly string[]
  /** Milliseconds from its start until its probes succeed. Default 0. */
  readonly readyMs?: number
  /** What it does when it is asked to stop: by default it ends at once with 143 (SIGTERM). */
  readonly onStop?: { readonly afterMs?: number; readonly exitCode?: number } | 'ignore'
  /** Nothing is said of it but its command: a program that comes along plays it, if there is one of that name. Default false. */
  readonly byCommand?: boolean
}

/** What a registry answers for an image. */
export type ImageBehaviour =
  | {
      readonly kind: 'found'
      readonly sizeBytes: number
      /** Milliseconds that a pull takes. Default 0. */
      readonly pullMs?: number
      readonly uid?: number
      readonly username?: string
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failing'; readonly code: RuntimeErrorCode; readonly message: string }

/** The container that a script is asked about. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec
  readonly sandbox: SandboxSpec
}

/** What a command run inside a container does. */
export interface ExecBehaviour extends Partial<ExecResult> {
  readonly takesMs?: number
}

/** The script of a simulated node: replace it to play any part. */
export interface Script {
  /** Asked when a container starts. */
  container(container: SimulatedContainer): Behaviour
  image(name: string): ImageBehaviour
  /** Undefined: nobody knows this command; probes that run it succeed. */
  exec?(container: SimulatedContainer, command: readonly string[]): ExecBehaviour | undefined
}

/**
 * Nobody has looked into the images of simulated nodes: but for base images, of which everybody knows, they run as a user whom charts that
 * refuse root accept.
 */
const NON_ROOT = 65_532

/**
 * The script when nothing else is said. Containers run for ever, unless
 * - annotations of the pod say otherwise: `run-seconds`, `exit-code`, `ready-seconds`, `stop-seconds`, `logs`;
 * - the command is one that everybody knows: `true`, `false`, `sleep N`, `exit N`, `echo TEXT`, also behind `sh -c`; any other script is
 *   run by the shell of
 *   `src/shell`, in which programs that nobody has run as the container would;
 * - the image's name begins with `done` (ends with 0), `fail` (ends with 3) or `missing` (no registry has it; neither has it a tag `404`,
 *   `missing`, `nonexistent`
 *   or `non-existent`, nor anything of a registry under `invalid`);
 * - somebody waits for them: they are init containers, or their pod is one of a Job, or a hook of helm's: then they end with 0 after a
 *   moment.
 */
export const defaultScript: Script = {
  container({ spec, sandbox }) {
    const said = fromAnnotations(sandbox.annotations, spec.name)
    const typed = fromCommand([...spec.command, ...spec.args])
    const byCommand = wordsOf(spec).length > 0 && Object.keys(typed).length === 0 && Object.keys(said).length === 0
    return { ...fromOwner(spec, sandbox), ...fromImage(spec.image), ...typed, ...said, ...(byCommand && { byCommand }) }
  },
  image: (name) => (isMissing(name) ? { kind: 'missing' } : { kind: 'found', sizeBytes: 1000, uid: isBareImage(name) ? 0 : NON_ROOT }),
  exec(_container, command) {
    const { runMs, exitCode, logs } = fromCommand(command)
    if (runMs === undefined) return undefined
    return { exitCode: exitCode ?? 0, stdout: (logs ?? []).map((l) => `${l}\n`).join(''), takesMs: runMs }
  },
}

/** Names by which manifests mean an image that is nowhere. */
const isMissing = (image: string) =>
  /^missing/.test(baseName(image)) || /:(404|missing|non-?existent)$/.test(image) || /^(invalid|[^/]+\.invalid)[.:/]/.test(image)

const baseName = (image: string) => image.slice(image.lastIndexOf('/') + 1)

/** How long the work of a job takes of which nothing is known. */
const JOB_MS = 1000
/** What the job controller, old and new, puts on its pods. */
const JOB_LABELS = ['batch.kubernetes.io/job-name', 'job-name']

/** Whoever makes such a pod waits for its end, and the others for that of an init container. A sidecar runs as long as they do. */
function fromOwner({ sidecar, init }: ContainerSpec, { labels, annotations }: SandboxSpec): Behaviour {
  if (sidecar === true) return {}
  const awaited = init === true || JOB_LABELS.some((label) => labels[label] !== undefined) || annotations['helm.sh/hook'] !== undefined
  return awaited ? { runMs: JOB_MS, exitCode: 0 } : {}
}

function fromImage(image: string): Behaviour {
  const name = baseName(image)
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
    // Variables, redirections, pipes: only a shell knows what this does.
    if (inShell && /[$`\\<>|&()*?#]/.test(step)) return {}
    // So does it where what is printed comes later, or is what the end is explained with.
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

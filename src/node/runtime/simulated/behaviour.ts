import type { KubeObject } from '../../../machinery/object.ts'
import type { Container } from '../../pod/pod-types.ts'

/** What a simulated container does. */
export interface Behaviour {
  /** Milliseconds until it ends by itself; undefined runs for ever, 0 ends at once. */
  readonly runMs?: number
  readonly exitCode?: number
  /** Whether the runtime names the end as containerd does: `Completed` or `Error`. Default true. */
  readonly namesEnd?: boolean
  /** What it prints. */
  readonly logs?: readonly string[]
  /** Milliseconds from its start until its probes succeed. Default 0. */
  readonly readyMs?: number
}

/** What a registry answers for an image. */
export type ImageBehaviour = { readonly kind: 'found'; readonly sizeBytes: number } | { readonly kind: 'missing' }

/** The script of a simulated node: replace it to play any part. */
export interface Script {
  container(pod: KubeObject, container: Container, attempt: number): Behaviour
  image(name: string): ImageBehaviour
}

/** `simulated.bowsprit.dev/<what>.<container>`, or without a container for all of them. */
const PREFIX = 'simulated.bowsprit.dev/'

/**
 * The script when nothing else is said. Containers run for ever, unless
 * - annotations of the pod say otherwise: `run-seconds`, `exit-code`, `ready-seconds`, `logs`;
 * - the command is one that everybody knows: `true`, `false`, `sleep N`, `exit N`, `echo TEXT`, also behind `sh -c`;
 * - the image's name begins with `done` (ends with 0), `fail` (ends with 3) or `missing` (no registry has it).
 */
export const defaultScript: Script = {
  container(pod, container) {
    const said = fromAnnotations(pod, container.name)
    const typed = fromCommand([...(container.command ?? []), ...(container.args ?? [])])
    const scripted = { ...typed, ...said }
    return Object.keys(scripted).length === 0 ? fromImage(container.image) : { ...fromImage(container.image), ...scripted, namesEnd: true }
  },
  image: (name) => (/^missing/.test(baseName(name)) ? { kind: 'missing' } : { kind: 'found', sizeBytes: 1000 }),
}

const baseName = (image: string) => image.slice(image.lastIndexOf('/') + 1)

/** These play the fake runtime of the recordings, which gave the ends of its containers no names. */
function fromImage(image: string): Behaviour {
  const name = baseName(image)
  if (/^done/.test(name)) return { runMs: 0, exitCode: 0, namesEnd: false }
  if (/^fail/.test(name)) return { runMs: 0, exitCode: 3, namesEnd: false }
  return {}
}

function fromAnnotations(pod: KubeObject, container: string): Behaviour {
  const annotations = pod.metadata.annotations
  if (annotations === undefined) return {}
  const read = (what: string) => annotations[`${PREFIX}${what}.${container}`] ?? annotations[`${PREFIX}${what}`]
  const seconds = (what: string) => {
    const n = Number(read(what))
    return read(what) !== undefined && Number.isFinite(n) && n >= 0 ? n * 1000 : undefined
  }
  const runMs = seconds('run-seconds')
  const readyMs = seconds('ready-seconds')
  const exitCode = Number(read('exit-code') ?? Number.NaN)
  const logs = read('logs')
  return {
    ...(runMs === undefined ? {} : { runMs }),
    ...(readyMs === undefined ? {} : { readyMs }),
    ...(Number.isInteger(exitCode) && exitCode >= 0 && exitCode < 256 ? { exitCode, runMs: runMs ?? 0 } : {}),
    ...(logs === undefined ? {} : { logs: logs.split('\n') }),
  }
}

function fromCommand(words: readonly string[]): Behaviour {
  const script = /^(?:.*\/)?(?:ba|a|da)?sh$/.test(words[0] ?? '') && words[1] === '-c' ? (words[2] ?? '') : words.join(' ')
  let runMs: number | undefined
  let exitCode = 0
  const logs: string[] = []
  for (const step of script.split(/;|&&|\n/).map((s) => s.trim())) {
    const sleep = /^sleep (\d+(?:\.\d+)?)$/.exec(step)
    const exit = /^exit (\d{1,3})$/.exec(step)
    const echo = /^echo (?:-n )?(.*)$/.exec(step)
    if (sleep) runMs = (runMs ?? 0) + Number(sleep[1]) * 1000
    else if (echo) logs.push((echo[1] ?? '').replace(/^(['"])(.*)\1$/, '$2'))
    else if (exit) return { runMs: runMs ?? 0, exitCode: Number(exit[1]) & 255, logs }
    else if (step === 'true' || step === 'false') exitCode = step === 'true' ? 0 : 1
    else if (step !== '') return { ...(logs.length > 0 ? { logs } : {}) }
    if (step === 'true' || step === 'false' || echo) runMs ??= 0
  }
  return runMs === undefined ? {} : { runMs, exitCode, ...(logs.length > 0 ? { logs } : {}) }
}

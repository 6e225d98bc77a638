import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from '../../run-program.ts'
import type { PlayDeps } from './play-story.ts'
import type { StoryFact } from './story.ts'

interface FactDeps extends Pick<PlayDeps, 'machine' | 'log' | 'kubeconfig'> {
  /** Of the pod. */
  readonly name: string
  readonly uid: string
}

/** Finds out the same as when the story was recorded, by the same commands. */
export async function findOut(fact: StoryFact, deps: FactDeps): Promise<StoryFact> {
  const { kubectl, groups, container, command } = fact
  if (kubectl !== undefined) return kubectlFact(fact, kubectl, deps)
  if (fact.port !== undefined) return forwardFact(fact, deps)
  if (groups !== undefined) return { ...fact, groups: groupsOf(groups, deps) }
  if (command === undefined) return { at: fact.at, what: fact.what ?? '' }
  if (container !== undefined) return inContainer(fact, { container, command }, deps)
  const { out, code } = await runProgram('sh', ['-c', command.replaceAll('/kubelet/pods/*/', `/kubelet/pods/${deps.uid}/`)])
  return { ...fact, stdout: out, code: code ?? 1 }
}

/** By the runtime's own client, not through the agent. */
async function inContainer(
  { at, what }: StoryFact,
  { container, command }: { readonly container: string; readonly command: string },
  { uid, machine, log }: FactDeps,
): Promise<StoryFact> {
  const id = log.containerOf(uid, container)
  if (id === undefined) return { at, container, ...(what !== undefined && { what }) }
  const { stdout, code } = await machine.execIn(id, command)
  return { at, container, command, stdout, code, ...(what !== undefined && { what }) }
}

async function kubectlFact({ at, stdin }: StoryFact, kubectl: readonly string[], { kubeconfig }: FactDeps): Promise<StoryFact> {
  const { out, err, code } = await runProgram('kubectl', ['--kubeconfig', kubeconfig, ...kubectl], {
    stdin: stdin ?? '',
    timeoutMs: 20_000,
  })
  return { at, kubectl, ...(stdin !== undefined && { stdin }), code: code ?? 1, stdout: out, stderr: err }
}

/** Asks for a path through `kubectl port-forward`. */
async function forwardFact(fact: StoryFact, { kubeconfig, name }: FactDeps): Promise<StoryFact> {
  const stop = new AbortController()
  const bound = Promise.withResolvers<string>()
  const forward = runProgram('kubectl', ['--kubeconfig', kubeconfig, 'port-forward', name, `:${fact.port}`], {
    signal: stop.signal,
    onOut: (out) => {
      const [, address] = /from (127\.0\.0\.1:\d+)/.exec(out) ?? []
      if (address !== undefined) bound.resolve(address)
    },
  }).catch(() => {})
  try {
    const response = await fetch(`http://${await bound.promise}${fact.path}`)
    return { ...fact, body: await response.text() }
  } catch {
    const { body: _, ...unanswered } = fact
    return unanswered
  } finally {
    stop.abort()
    await forward
  }
}

type Groups = NonNullable<StoryFact['groups']>

/** The same files of the control groups of the pod, its sandbox and its containers. */
function groupsOf(groups: Groups, { uid, log, machine }: FactDeps): Groups {
  const own = (name: string, wanted: Groups[string]) => {
    const id = name === 'pod' ? '' : ((name === 'sandbox' ? log.sandboxOf(uid) : log.containerOf(uid, name)) ?? '-')
    const group = path.join(String(wanted.path).replace(/pod<uid-\d+>.*/, `pod${uid}`), id)
    const files = Object.keys(wanted).filter((file) => file !== 'path')
    return Object.fromEntries(files.map((file) => [file, read(path.join(machine.cgroupRoot, group), file)]))
  }
  return Object.fromEntries(Object.entries(groups).map(([name, wanted]) => [name, own(name, wanted)]))
}

function read(group: string, file: string): string {
  try {
    return readFileSync(path.join('/sys/fs/cgroup', file.split('.')[0] ?? '', group, file), 'utf8').trim()
  } catch {
    return ''
  }
}

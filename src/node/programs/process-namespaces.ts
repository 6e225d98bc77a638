import type { ContainerSpec } from '../runtime/container-spec.ts'
import { FileSystem } from '../volumes/file-system.ts'
import { fileTree } from '../volumes/file-tree.ts'
import { ProcessList, ProcessNamespace } from './process-list.ts'

/**
 * Whose processes a container of a node sees: its own, those of its pod, or those of the container that it is attached to for debugging.
 */
export class ProcessNamespaces {
  /** By pod: the pod's own under `''`, those of its containers under their names. */
  readonly #pods = new Map<string, Map<string, ProcessNamespace>>()

  /**
   * The one in which this start of a container runs, and what ends it when the container ends: with their first process all others are
   * killed.
   */
  join({ pod, name, processes }: Pick<ContainerSpec, 'pod' | 'name' | 'processes'>, nowMs: number): Joined {
    const known = this.#pods.get(pod.uid) ?? new Map<string, ProcessNamespace>()
    this.#pods.set(pod.uid, known)
    const shared = processes === 'pod' ? this.#ofPod(known, nowMs) : processes && known.get(processes.of)
    if (shared !== undefined) return { namespace: shared, end: () => {} }
    const namespace = new ProcessNamespace()
    known.set(name, namespace)
    return {
      namespace,
      end() {
        if (known.get(name) === namespace) known.delete(name)
        for (const { deliver } of namespace.all()) deliver('SIGKILL')
      },
    }
  }

  podGone(uid: string): void {
    this.#pods.delete(uid)
  }

  /** Its first process is the sandbox's, which waits and does nothing else. */
  #ofPod(known: Map<string, ProcessNamespace>, nowMs: number): ProcessNamespace {
    const found = known.get('')
    if (found !== undefined) return found
    const made = new ProcessNamespace()
    const root = fileTree(0, { mtimeMs: nowMs })
    const files = new FileSystem({ root, readOnlyRoot: true, mounts: [], now: () => nowMs, uid: PAUSE_USER, gid: PAUSE_USER })
    new ProcessList(made, { files, uid: PAUSE_USER }).enter({ argv: ['/pause'], startedAtMs: nowMs }, () => {})
    known.set('', made)
    return made
  }
}

const PAUSE_USER = 65_535

export interface Joined {
  readonly namespace: ProcessNamespace
  readonly end: () => void
}

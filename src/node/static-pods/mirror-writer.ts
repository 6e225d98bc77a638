import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { type MirrorSink, StatusWriter, type StatusWriterDeps, type WriteOutcome } from '../pod/report/status-writer.ts'
import type { Pod } from '../types/pod.ts'
import { type MirrorPods, mirrors } from './mirror-pods.ts'
import { fullNameOf, type StaticPods } from './static-pods.ts'

export interface MirrorWriterDeps extends StatusWriterDeps {
  readonly mirrors: MirrorPods
  readonly statics: StaticPods
}

/** Writes the status of a static pod to its mirror pod, which it creates if necessary. */
export class MirrorWriter implements MirrorSink {
  readonly #deps: MirrorWriterDeps
  #writer: StatusWriter | undefined
  #uid: string | undefined

  constructor(deps: MirrorWriterDeps) {
    this.#deps = deps
  }

  observe(mirror: KubeObject | undefined): boolean {
    if (mirror === undefined || mirror.metadata.deletionTimestamp !== undefined || mirror.metadata.uid !== this.#uid) return true
    return this.#writer?.observe(mirror as Pod) ?? false
  }

  async write(pod: Pod, status: JsonObject, dropped?: ReadonlySet<string>): Promise<WriteOutcome> {
    const mirror = await this.#mirrorOf(pod)
    if (mirror === 'none') return 'unchanged'
    if (mirror === undefined) return 'unmirrored'
    if (this.#writer === undefined || mirror.metadata.uid !== this.#uid) {
      this.#writer = new StatusWriter(mirror as Pod, this.#deps)
      this.#uid = mirror.metadata.uid
    }
    const outcome = await this.#writer.write(mirror as Pod, status, dropped)
    if (outcome !== 'gone') return outcome
    this.#deps.mirrors.gone(mirror)
    return 'refused'
  }

  /** A terminating pod creates no mirror pod any more; if another pod waits for its name, the mirror pod belongs to that one. */
  async #mirrorOf(pod: Pod): Promise<KubeObject | 'none' | undefined> {
    const { mirrors: standing, statics } = this.#deps
    const name = fullNameOf(pod)
    if (pod.metadata.deletionTimestamp === undefined) return standing.ensure(pod)
    const mirror = standing.standing(name)
    return mirror === undefined || statics.wanted(name) !== undefined || !mirrors(mirror, pod) ? 'none' : mirror
  }
}

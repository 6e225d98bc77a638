import { systemClock } from '../../../base/clock.ts'
import type { ContainerPrograms } from '../../../node/runtime/simulated/play.ts'
import type { Link } from '../../../threads/link.ts'
import { NODE_SERVICES, type PodSizes } from './programs-protocol.ts'

/** How often sizes are compared with those that were reported. */
const SIZES_MS = 1000

/** Reports to the nodes' side how much pods have written, when that has changed. */
export class SizeReports {
  readonly #link: Link
  readonly #programs = new Map<string, ContainerPrograms>()
  readonly #pods = new Map<string, { readonly node: string; reported: string }>()

  constructor(link: Link) {
    this.#link = link
  }

  watched(node: string, programs: ContainerPrograms): ContainerPrograms {
    this.#programs.set(node, programs)
    return programs
  }

  opened(node: string, uid: string): void {
    if (!this.#pods.has(uid)) this.#pods.set(uid, { node, reported: '' })
  }

  gone(uid: string): void {
    this.#pods.delete(uid)
  }

  run(): void {
    for (const [uid, pod] of this.#pods) {
      const files = this.#programs.get(pod.node)?.podFiles(uid)
      if (files === undefined) continue
      const sizes: PodSizes = { node: pod.node, uid, layers: [...files.layers], volumes: [...files.volumes] }
      const text = JSON.stringify(sizes)
      if (text === pod.reported) continue
      pod.reported = text
      this.#link.open(NODE_SERVICES.sizes, sizes, { ended: true })
    }
    systemClock.after(SIZES_MS, () => this.run())
  }
}

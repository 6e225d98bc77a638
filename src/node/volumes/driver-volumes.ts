import type { MountedVolumes } from './node-attachments.ts'

/** What drivers have mounted for the pods of a node. */
export interface DriverVolumes extends MountedVolumes {
  /** Takes a pod's volumes away, until that worked. */
  release(podUid: string): void
  holds(podUid: string): Promise<boolean>
  /** The pods that have volumes here, whether they exist or not. */
  podUids(): Promise<readonly string[]>
  /** Calls back when a pod that was released has no volumes any more. */
  watchReleases(released: (podUid: string) => void): void
}

/** Several kinds of drivers as one: a pod is released when none of them holds anything of it. */
export function joinVolumes(kinds: readonly DriverVolumes[]): DriverVolumes {
  const holds = async (podUid: string) => (await Promise.all(kinds.map((kind) => kind.holds(podUid)))).includes(true)
  return {
    holds,
    inUse: () => kinds.flatMap((kind) => kind.inUse()),
    watchInUse(changed) {
      for (const kind of kinds) kind.watchInUse(changed)
    },
    release(podUid) {
      for (const kind of kinds) kind.release(podUid)
    },
    async podUids() {
      return [...new Set((await Promise.all(kinds.map((kind) => kind.podUids()))).flat())]
    },
    watchReleases(released) {
      const check = async (podUid: string) => {
        if (!(await holds(podUid))) released(podUid)
      }
      for (const kind of kinds) kind.watchReleases((podUid) => void check(podUid))
    },
  }
}

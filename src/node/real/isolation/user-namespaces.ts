import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import type { Random } from '../../../base/random.ts'
import type { IdMapping } from '../../runtime/security.ts'

/** Ids of each user namespace, as the kubelet gives them: enough for all users that images name. */
const LENGTH = 65_536
/** Blocks of ids on the node; the first is the node's own users. */
const BLOCKS = 65_536

/** Why a pod can have no user namespace of its own. */
export class UserNamespaceError extends Error {
  override readonly name = 'UserNamespaceError'
  readonly code = 'no-user-namespace'
}

/** As the kubelet writes it: `userns` in the folder of a pod. */
interface Kept {
  readonly uidMappings: readonly { readonly hostId: number; readonly containerId: number; readonly length: number }[]
}

/** The ids of the node that pods with `hostUsers: false` run as: no two pods share one, also over restarts of the agent. */
export class UserNamespaces {
  readonly #taken = new Map<string, number>()
  readonly #random: Random

  /** `podsFolder` has a folder for each pod. */
  constructor(podsFolder: string, random: Random) {
    this.#random = random
    for (const uid of namesIn(podsFolder)) {
      const hostId = keptIn(path.join(podsFolder, uid))
      if (hostId !== undefined) this.#taken.set(uid, hostId)
    }
  }

  /** The pod's ids; they are kept in its folder. */
  async take(podUid: string, podFolder: string): Promise<IdMapping> {
    const known = this.#taken.get(podUid)
    if (known !== undefined) return { hostId: known, length: LENGTH }
    const hostId = this.#free()
    this.#taken.set(podUid, hostId)
    const mappings = [{ hostId, containerId: 0, length: LENGTH }]
    await mkdir(podFolder, { recursive: true, mode: 0o750 })
    await writeFile(path.join(podFolder, 'userns'), JSON.stringify({ uidMappings: mappings, gidMappings: mappings }), { mode: 0o600 })
    return { hostId, length: LENGTH }
  }

  release(podUid: string): void {
    this.#taken.delete(podUid)
  }

  #free(): number {
    const taken = new Set(this.#taken.values())
    if (taken.size >= BLOCKS - 1) throw new UserNamespaceError('all user namespaces of the node are in use')
    for (;;) {
      const hostId = (1 + this.#random.int(BLOCKS - 1)) * LENGTH
      if (!taken.has(hostId)) return hostId
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function keptIn(podFolder: string): number | undefined {
  try {
    const kept = JSON.parse(readFileSync(path.join(podFolder, 'userns'), 'utf8')) as Kept
    return kept.uidMappings[0]?.hostId
  } catch {
    // A pod without one, or a file that was not written to its end.
    return undefined
  }
}

import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { KindCatalogue } from '../kinds/kind-catalogue.ts'
import { ClusterIndex } from '../overview/cluster-index.ts'
import { Collections } from '../rows/collections.ts'
import type { PageWorld } from '../session/page-world.ts'

/** Users whose views are kept. */
const MAX_USERS = 8

/** The cluster as different users see it. */
export class ViewedWorlds {
  readonly #own: PageWorld
  readonly #clientAs: ((user: UserInfo) => Client) | undefined
  readonly #worlds = new Map<string, PageWorld>()

  constructor(own: PageWorld, clientAs: ((user: UserInfo) => Client) | undefined) {
    this.#own = { ...own, canViewAs: clientAs !== undefined }
    this.#clientAs = clientAs
  }

  /** `user` undefined: the page's own. Undefined: the page can be no other user, or too many are looked at. */
  of(user: UserInfo | undefined): PageWorld | undefined {
    if (user === undefined) return this.#own
    if (this.#clientAs === undefined) return undefined
    const known = this.#worlds.get(user.name)
    if (known !== undefined) return known
    if (this.#worlds.size >= MAX_USERS) return undefined
    const made = this.#made(user, this.#clientAs(user))
    this.#worlds.set(user.name, made)
    return made
  }

  stop(): void {
    for (const { index, collections } of [this.#own, ...this.#worlds.values()]) {
      index.stop()
      collections.stop()
    }
  }

  /** A fork has all rights: it is for the page's own user. */
  #made(user: UserInfo, client: Client): PageWorld {
    const catalogue = new KindCatalogue(client)
    const collections = new Collections({ client, clock: this.#own.clock })
    const index = new ClusterIndex(catalogue, collections)
    return { ...this.#own, client, catalogue, collections, index, user: user.name, lab: undefined, forks: undefined }
  }
}

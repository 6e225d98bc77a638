import type { Clock } from '../../../base/clock.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { reflectPages } from '../rows/reflect-pages.ts'

interface FollowedObjectDeps {
  readonly client: Client
  readonly clock: Clock
  readonly object: ObjectName
  changed(): void
}

/** One object as it is now. */
export class FollowedObject {
  /** The last state that was seen. */
  object: Readonly<KubeObject> | undefined
  /** It is gone; `object` is its last state. */
  deleted = false
  /** It was looked for: it is there, or not found. */
  listed = false
  /** Why `object` may be old. */
  problem = ''
  #named = false
  readonly #deps: FollowedObjectDeps

  constructor(deps: FollowedObjectDeps) {
    this.#deps = deps
  }

  /** Follows it by list and watch, until the signal is aborted. */
  follow({ group, version, resource }: KindEntry, signal: AbortSignal): void {
    const { client, clock, object, changed } = this.#deps
    const target = { group, version, resource, ...(object.namespace !== '' && { namespace: object.namespace }) }
    const options = { client, clock, target, labelSelector: '', fieldSelector: `metadata.name=${object.name}` }
    const sink = {
      put: (objects: readonly Readonly<KubeObject>[]) => {
        for (const found of objects) this.#take(found)
      },
      listed: () => {
        this.deleted = !this.#named && this.object !== undefined
        this.#named = false
        this.listed = true
        changed()
      },
      apply: ({ type, object: found }: { readonly type: string; readonly object: Readonly<KubeObject> }) => {
        if (type === 'BOOKMARK') return
        this.#take(found)
        this.#named = false
        this.deleted = type === 'DELETED'
        changed()
      },
      problem: (text: string) => this.fail(text),
    }
    void reflectPages(options, sink, signal)
  }

  /** It cannot be followed now. */
  fail(problem: string): void {
    this.problem = problem
    this.#deps.changed()
  }

  #take(found: Readonly<KubeObject>): void {
    this.#named = true
    this.deleted = false
    this.object = found
  }
}

/** The message in place of an object that was not seen; `''`: it is not known yet. */
export const missingText = ({ listed, problem }: FollowedObject, { resource, name }: ObjectName): string =>
  problem !== '' || !listed ? problem : `${resource} "${name}" not found`

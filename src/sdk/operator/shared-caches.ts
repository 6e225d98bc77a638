import type { KubeObject } from '../../machinery/object.ts'
import type { Indexers } from '../informer/informer.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Controller } from './controller.ts'
import { type CacheDeps, createKindCache, type KindCache } from './kind-cache.ts'
import { OperatorError } from './operator-error.ts'
import type { Caches } from './workplace.ts'

interface Need {
  readonly kind: Kind
  readonly labelSelector: string | undefined
  readonly indexes: Indexers<KubeObject>
}

/** The caches of all controllers of a process: one for each kind and selector. */
export interface SharedCaches {
  readonly all: readonly KindCache[]
  of(controller: Controller): Caches
}

/** Makes them; the manager runs each. @throws {Error} when two indexes of a kind have the same name */
export function createSharedCaches(controllers: readonly Controller[], deps: CacheDeps): SharedCaches {
  const needs = new Map<string, Need>()
  for (const need of controllers.flatMap(needsOf)) {
    const id = idOf(need)
    const known = needs.get(id)
    const twice = Object.entries(need.indexes).find(
      ([name, by]) => known !== undefined && Object.hasOwn(known.indexes, name) && known.indexes[name] !== by,
    )
    if (twice !== undefined) throw new OperatorError('bad-definition', `two indexes of ${need.kind.kind} are called ${twice[0]}`)
    needs.set(id, { ...need, indexes: { ...known?.indexes, ...need.indexes } })
  }
  const made = new Map([...needs].map(([id, need]) => [id, createKindCache<KubeObject>(need.kind, need, deps)]))
  return {
    all: [...made.values()],
    of(controller) {
      // Of several copies of a kind the one of `for` comes first, then of `owns`.
      const own = new Map<string, KindCache>()
      for (const need of needsOf(controller)) {
        const cache = made.get(idOf(need))
        const name = nameOf(need.kind)
        if (cache !== undefined && !own.has(name)) own.set(name, cache)
      }
      return {
        of<T extends KubeObject>(kind: Kind<T>): KindCache<T> {
          const found = own.get(nameOf(kind))
          if (found === undefined)
            throw new OperatorError(
              'bad-definition',
              `controller ${controller.name} has no copy of ${kind.kind} (${kind.apiVersion}): name it in \`for\`, \`owns\` or \`watches\``,
            )
          // The copy of a kind holds its objects.
          return found as KindCache<T>
        },
      }
    },
  }
}

function needsOf(controller: Controller): Need[] {
  const { config } = controller
  return [
    { kind: controller.for, labelSelector: config.labelSelector, indexes: config.indexes ?? {} },
    ...controller.owns.map(({ kind }) => ({ kind, labelSelector: undefined, indexes: {} })),
    ...controller.watches.map((w) => ({ kind: w.kind, labelSelector: w.labelSelector, indexes: w.indexes ?? {} })),
  ]
}

const nameOf = (kind: Kind) => `${kind.group}/${kind.version}/${kind.plural}`
const idOf = ({ kind, labelSelector = '' }: Need) => `${nameOf(kind)}?${labelSelector}`

import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { required } from '../../machinery/field-error.ts'
import { cloneJson, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import type { Store } from '../../storage/store.ts'
import { createResourceRegistry } from '../cache/resource-registry.ts'
import { openWatchCache } from '../cache/watch-cache.ts'
import type { Kinds } from '../kinds.ts'
import { createResourceStore } from './resource-store.ts'
import type { Write } from './write.ts'

const ANY: StructSchema = { type: 'struct', required: [], fields: new Map(), preserveUnknown: true }

/** A minimal kind with a required size and a status subresource. */
export const widgets: ResourceDefinition = {
  group: 'example.com',
  names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
  scope: 'Namespaced',
  versions: [
    {
      version: 'v1',
      served: true,
      schema: () => ANY,
      columns: [],
      decode: (json) => ({ object: cloneJson(json) as JsonObject, warnings: [] }),
    },
  ],
  storageVersion: 'v1',
  customDefinition: 'widgets.example.com',
  subresources: { status: { kind: 'status' } },
  rules: {
    generation: 'spec',
    validateCreate: validateWidget,
    validateUpdate: validateWidget,
  },
}

export type Widget = KubeObject<{ size?: number; colour?: string }>

function validateWidget({ spec }: Widget) {
  return spec?.size === undefined ? [required('spec.size', '')] : []
}

/** No compiled-in kinds. */
export const NO_KINDS: Kinds = {
  schema: () => ANY,
  has: () => false,
  isUnserved: () => false,
  goPackage: ({ version }) => version,
  isKnown: () => false,
  byOpenapiName: () => undefined,
  kindOf: () => undefined,
  documentation: () => ({}),
  stamp: () => undefined,
}

/** The widget `a` of the namespace `ns`. */
export const KEY = { group: 'example.com', resource: 'widgets', namespace: 'ns', name: 'a' }

export const widget = (spec: object): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'ns' },
  spec,
})

/** A resource store of one kind (default: widgets) over an empty store in memory. Cached objects are frozen. */
export async function storeDouble(
  definition: ResourceDefinition = widgets,
  kinds: Kinds = NO_KINDS,
  { clock = new VirtualClock(Date.UTC(2026, 0, 1)), storage = openMemoryStore({}, { clock }) as Store } = {},
) {
  const random = seededRandom(1)
  const definitions = createResourceRegistry([definition])
  const watchCache = await openWatchCache({ store: storage, definitions, clock, log: silentLogger, freeze: true })
  const given = { watchCache, definitions, kinds, clock, random, allowPrivileged: false }
  const store = createResourceStore(given)
  return {
    ...given,
    store,
    storage,
    /** A write of the widget `a`. */
    write: (how: Partial<Write> = {}): Write => ({ ...store.ownWrite(KEY), ...how }),
    /** The widget `a` as it is stored. */
    stored: () => store.get(store.ownWrite(KEY)).object,
    async [Symbol.asyncDispose]() {
      await watchCache[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    },
  }
}

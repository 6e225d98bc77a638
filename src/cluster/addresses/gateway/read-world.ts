import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { compileMatcher, type MatcherSource } from '../../../machinery/selectors/label-matcher.ts'
import { listObjects, readObject } from '../../../resources/read-objects.ts'
import { NAMESPACES, SERVICES } from '../../../resources/refs.ts'
import { GATEWAYS, HTTP_ROUTES, type ObjectRef, REFERENCE_GRANTS } from './gateway-types.ts'
import type { GatewayWorld } from './gateway-world.ts'
import { readGateway, readGrant, readHttpRoute } from './read-objects.ts'

interface Given {
  /** The names of the classes that are served here. */
  readonly classes: ReadonlySet<string>
  readonly hasCertificate: (ref: ObjectRef) => boolean
}

/** What the cache has of the objects that a plan is made of. */
export function readWorld(reader: Reader, { classes, hasCertificate }: Given): GatewayWorld {
  return {
    gateways: listObjects<KubeObject>(reader, GATEWAYS)
      .map(readGateway)
      .filter(({ className }) => classes.has(className)),
    routes: listObjects<KubeObject>(reader, HTTP_ROUTES).map(readHttpRoute),
    grants: listObjects<KubeObject>(reader, REFERENCE_GRANTS).map(readGrant),
    hasService: ({ namespace, name }) => readObject(reader, SERVICES, namespace, name) !== undefined,
    hasCertificate,
    selects: (selector, namespace) => selects(reader, selector, namespace),
  }
}

/** A selector that cannot be read selects nothing. */
function selects(reader: Reader, selector: unknown, namespace: string): boolean {
  const labels = readObject(reader, NAMESPACES, '', namespace)?.metadata.labels ?? {}
  try {
    return typeof selector === 'object' && selector !== null && compileMatcher(selector as MatcherSource)(labels)
  } catch {
    return false
  }
}

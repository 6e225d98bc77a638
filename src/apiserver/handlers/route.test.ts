import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { createResourceRegistry } from '../cache/resource-registry.ts'
import { requestInfo } from '../request/request-info.ts'
import { widgets } from '../store/store.double.ts'
import { route } from './route.ts'

const { customDefinition: _, ...builtin } = widgets
const named = (group: string, plural: string, kind: string, how: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  ...builtin,
  group,
  names: { kind, plural, singular: kind.toLowerCase() },
  ...how,
})

/** The group `built.io` is compiled in; `example.com` has custom resources only. */
const definitions = createResourceRegistry([
  widgets,
  named('example.com', 'hubs', 'Hub', { scope: 'Cluster', customDefinition: 'hubs.example.com' }),
  named('built.io', 'things', 'Thing', {
    subresources: {
      scale: { kind: 'scale', specReplicas: ['spec', 'a'], statusReplicas: ['status', 'a'] },
      proxy: { kind: 'connect', connector: 'proxy', verbs: ['get', 'create'], methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
      log: { kind: 'connect', connector: 'log', verbs: ['get'], methods: ['GET'] },
    },
  }),
  named('', 'pods', 'Pod'),
  named('built.io', 'nodes', 'Node', { scope: 'Cluster' }),
  named('built.io', 'reviews', 'Review', { verbs: ['create'] }),
])

/** `served SUBRESOURCE`, the error's reason, or `none` for a path that another server may know. */
function routed(line: string): string {
  const [method = '', path = ''] = line.split(' ')
  const info = requestInfo(method, path, { watching: false })
  try {
    const found = info.target && route(definitions, info, info.target)
    return found === undefined ? 'none' : `served ${found.subresource?.kind ?? ''}`.trim()
  } catch (error) {
    assert.ok(isStatus(error), String(error))
    return `${error.status.code} ${error.status.details?.kind ?? '-'}`
  }
}

const THINGS = '/apis/built.io/v1/namespaces/ns/things'
const WIDGETS = '/apis/example.com/v1/namespaces/ns/widgets'

for (const [line, result] of [
  ['GET /api/v1/pods', 'served'],
  ['GET /apis//v1/pods', 'none'],
  [`GET ${THINGS}`, 'served'],
  [`DELETE ${THINGS}`, 'served'],
  [`PUT ${THINGS}/a`, 'served'],
  // A method that the path does not have.
  [`PUT ${THINGS}`, '405 -'],
  [`PATCH ${THINGS}`, '405 -'],
  [`POST ${THINGS}/a`, '405 -'],
  [`HEAD ${THINGS}`, '405 -'],
  [`OPTIONS ${THINGS}`, '405 -'],
  // Across namespaces: reads only, of collections only.
  ['GET /apis/built.io/v1/things', 'served'],
  ['POST /apis/built.io/v1/things', '405 -'],
  ['DELETE /apis/built.io/v1/things', '405 -'],
  ['GET /apis/built.io/v1/things/a', '404 -'],
  // Cluster scope.
  ['GET /apis/built.io/v1/nodes/a', 'served'],
  ['GET /apis/built.io/v1/namespaces/ns/nodes', '404 -'],
  // The old watch prefix.
  ['GET /apis/built.io/v1/watch/namespaces/ns/things/a', 'served'],
  ['GET /apis/built.io/v1/watch/things', 'served'],
  ['POST /apis/built.io/v1/watch/things', '405 -'],
  ['GET /apis/built.io/v1/watch/namespaces/ns/things/a/scale', '404 -'],
  // Subresources.
  [`GET ${THINGS}/a/scale`, 'served scale'],
  [`PATCH ${THINGS}/a/scale`, 'served scale'],
  [`DELETE ${THINGS}/a/scale`, '405 -'],
  [`GET ${THINGS}/a/scale/more`, '404 -'],
  [`GET ${THINGS}/a/nothing`, '404 -'],
  [`GET ${THINGS}/a/toString`, '404 -'],
  [`GET ${THINGS}/a/proxy/some/path`, 'served connect'],
  [`HEAD ${THINGS}/a/proxy`, 'served connect'],
  [`OPTIONS ${THINGS}/a/proxy`, 'served connect'],
  [`DELETE ${THINGS}/a/proxy`, '405 -'],
  [`GET ${THINGS}/a/log`, 'served connect'],
  [`GET ${THINGS}/a/log/more`, '404 -'],
  [`HEAD ${THINGS}/a/log`, '405 -'],
  // Kinds that can only be created have no objects by name.
  ['POST /apis/built.io/v1/namespaces/ns/reviews', 'served'],
  ['GET /apis/built.io/v1/namespaces/ns/reviews', '405 -'],
  ['GET /apis/built.io/v1/namespaces/ns/reviews/a', '404 -'],
  ['GET /apis/built.io/v1/watch/reviews', '404 -'],
  ['POST /apis/built.io/v1/reviews', '404 -'],
  // What the group does not have.
  ['GET /apis/built.io/v1/nothing', '404 -'],
  ['GET /apis/built.io/v2/things', '404 -'],
  ['GET /apis/other.io/v1/things', 'none'],
  // Custom resources: their paths appear and go with their definitions.
  [`GET ${WIDGETS}/a`, 'served'],
  [`HEAD ${WIDGETS}/a`, 'served'],
  [`POST ${WIDGETS}/a`, 'served'],
  [`POST ${WIDGETS}/a/status`, '405 widgets'],
  [`PUT ${WIDGETS}`, '400 -'],
  [`PATCH ${WIDGETS}`, '400 -'],
  [`OPTIONS ${WIDGETS}`, '405 widgets'],
  [`GET ${WIDGETS}/a/status`, 'served status'],
  [`GET ${WIDGETS}/a/scale`, '404 widgets'],
  ['GET /apis/example.com/v1/widgets', 'served'],
  ['GET /apis/example.com/v1/widgets/a', 'none'],
  ['GET /apis/example.com/v1/namespaces/ns/hubs/a', 'none'],
  ['GET /apis/example.com/v1/hubs/a', 'served'],
  ['GET /apis/example.com/v1/nothing', 'none'],
] as const)
  test(`${line}: ${result}`, () => assert.equal(routed(line), result))

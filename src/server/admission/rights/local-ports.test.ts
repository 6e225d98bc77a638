import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { Attributes } from '../../../apiserver/identity/authorizer.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { localPorts } from './local-ports.ts'

const service = (port?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'ns', annotations: { other: 'x', ...(port !== undefined && { 'bowsprit.dev/local-port': port }) } },
})

interface Case {
  readonly object: KubeObject
  readonly old?: KubeObject
  readonly subresource?: string
  readonly resource?: string
  readonly may?: boolean
}

/** The outcome, and the right that was checked. */
async function admit({ object, old, subresource = '', resource = 'services', may = false }: Case) {
  const requested: Attributes[] = []
  const plugin = localPorts({
    authorizer: {
      authorize: async (attributes) => {
        requested.push(attributes)
        return { verdict: may ? 'allow' : 'no-opinion', reason: '' }
      },
    },
  })
  const request: AdmissionRequest = {
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: '', version: 'v1', resource },
    kind: { group: '', version: 'v1', kind: 'Service' },
    subresource,
    namespace: 'ns',
    name: 'web',
    user: { name: 'eve', groups: [] },
    dryRun: false,
    object,
    oldObject: old,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
    warn: () => {},
    requireReinvocation: () => {},
    annotate: () => {},
  }
  if (!plugin.handles(request)) return { said: 'not handled', requested }
  try {
    await plugin.validate?.(request)
    return { said: 'ok', requested }
  } catch (error) {
    if (!isStatus(error)) throw error
    return { said: `${error.status.code} ${error.message}`, requested }
  }
}

const REFUSED =
  '403 services "web" is forbidden: the annotation bowsprit.dev/local-port needs the right to use localports.bowsprit.dev "8080", which user "eve" has not'

const cases: readonly (readonly [rule: string, given: Case, said: string])[] = [
  ['a service without the annotation is not looked at further', { object: service() }, 'ok'],
  ['a new service may not lead to this machine', { object: service('8080') }, REFUSED],
  ['but for those who may use the port', { object: service('8080'), may: true }, 'ok'],
  ['an update may not set the annotation', { object: service('8080'), old: service() }, REFUSED],
  ['an update may not change it', { object: service('8080'), old: service('9090') }, REFUSED],
  ['nor an update of the status', { object: service('8080'), old: service(), subresource: 'status' }, REFUSED],
  ['an update may keep it', { object: service('8080'), old: service('8080') }, 'ok'],
  ['an update may remove it', { object: service(), old: service('8080') }, 'ok'],
  ['on other objects it leads nowhere', { object: service('8080'), resource: 'configmaps' }, 'not handled'],
]
for (const [rule, given, said] of cases) test(rule, async () => assert.equal((await admit(given)).said, said))

test('the right is one of the whole cluster: that on a namespace does not suffice', async () => {
  const [right] = (await admit({ object: service('8080') })).requested
  assert.deepEqual(right && [right.verb, right.group, right.resource, right.name, right.namespace], [
    'use',
    'bowsprit.dev',
    'localports',
    '8080',
    '',
  ])
})

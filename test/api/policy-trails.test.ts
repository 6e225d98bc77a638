/** What each admission policy did to a request: in its trail, through the SDK. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { trailPage } from '../../src/page/server/object/trail-page.ts'
import type { RequestTrail, TrailStep } from '../../src/resources/bowsprit/request-trail.ts'
import * as refs from '../../src/resources/refs.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const TRAILS = { group: 'bowsprit.dev', version: 'v1', resource: 'requesttrails' }
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const apiVersion = 'admissionregistration.k8s.io/v1'

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
}
const named = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec }) as KubeObject as never

/** A cluster in which config maps get a team, and may not be called `bad`. */
async function withPolicies() {
  const cluster = await startCluster({ parts: ['server'], trails: true })
  const client = cluster.client()
  const expression = '[JSONPatch{op: "add", path: "/data", value: {"team": "blue"}}]'
  const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression } }]
  const team = { matchConstraints, failurePolicy: 'Fail', reinvocationPolicy: 'Never', mutations }
  const validations = [{ expression: 'object.metadata.name != "bad"', message: 'it is called bad' }]
  await client.create(refs.MUTATING_ADMISSION_POLICIES, named('MutatingAdmissionPolicy', 'team', team))
  await client.create(refs.VALIDATING_ADMISSION_POLICIES, named('ValidatingAdmissionPolicy', 'names', { matchConstraints, validations }))
  const bound = (policyName: string, more = {}) => ({ policyName, ...more })
  await client.create(refs.MUTATING_ADMISSION_POLICY_BINDINGS, named('MutatingAdmissionPolicyBinding', 'all', bound('team')))
  const denies = bound('names', { validationActions: ['Deny'] })
  await client.create(refs.VALIDATING_ADMISSION_POLICY_BINDINGS, named('ValidatingAdmissionPolicyBinding', 'all', denies))
  return cluster
}

const policySteps = ({ admission = [] }: RequestTrail): TrailStep[] => admission.filter(({ policy }) => policy !== undefined)

test('each policy is a step with its binding, its cost and its outcome; what it changed while trails are watched', async () => {
  await using cluster = await withPolicies()
  const client = cluster.client()
  const trailOf = async (name: string) => {
    const { items } = await client.list<RequestTrail>(TRAILS)
    return items.find(({ verb, target, code = 0 }) => verb === 'create' && (target?.name === name || (name === 'bad' && code === 422)))
  }
  await client.create(MAPS, configMap('unseen'))
  const [team, names] = policySteps((await trailOf('unseen')) ?? assert.fail())
  assert.deepEqual([team?.policy, team?.binding, team?.phase, team?.outcome, team?.changes], ['team', 'all', 'mutate', 'passed', undefined])
  assert.deepEqual([names?.policy, names?.plugin, names?.outcome], ['names', 'ValidatingAdmissionPolicy', 'passed'])
  assert.ok((team?.cost ?? 0) > 0 && (names?.cost ?? 0) > 0 && (names?.milliseconds ?? -1) >= 0)

  const stop = new AbortController()
  const events = client.watch<RequestTrail>(TRAILS, { signal: stop.signal })[Symbol.asyncIterator]()
  await events.next()
  await client.create(MAPS, configMap('seen'))
  const seen = (await trailOf('seen')) ?? assert.fail()
  assert.deepEqual(policySteps(seen)[0]?.changes, [{ path: 'data', to: '{"team":"blue"}' }])
  await assert.rejects(client.create(MAPS, configMap('bad')), /it is called bad/)
  const bad = await waitFor(() => trailOf('bad'))
  stop.abort()
  const refused = policySteps(bad).at(-1)
  assert.deepEqual([refused?.policy, refused?.outcome, refused?.message], ['names', 'refused', 'it is called bad'])
  const lines = trailPage(bad).lines.map(({ what }) => what)
  assert.ok(
    lines.some((what) => /^ValidatingAdmissionPolicy · names · cost \d+ · refused: it is called bad$/.test(what)),
    lines.join('\n'),
  )
})

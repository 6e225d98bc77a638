/** An operator that believes to run in a pod: it finds the files of its service account, and its pod. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { database, databases } from './operator-search/stand-in.ts'

/** Writes what it finds into the one config map that it is allowed to make. */
const OPERATOR = `
const { readFileSync } = require('node:fs')
const { request } = require('node:https')
const account = '/var/run/secrets/kubernetes.io/serviceaccount/'
const [token, namespace, ca] = ['token', 'namespace', 'ca.crt'].map((name) => readFileSync(account + name, 'utf8'))
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, POD_NAME, POD_NAMESPACE, KUBECONFIG = 'none' } = process.env
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
const call = (method, path, body, onData) => new Promise((resolve, reject) => {
  request({ host, port, ca, method, path, headers }, async (response) => {
    let text = ''
    for await (const part of response) onData ? onData() : (text += part)
    resolve(text && JSON.parse(text))
  }).on('error', reject).end(body && JSON.stringify(body))
})
async function main() {
  const pod = await call('GET', '/api/v1/namespaces/' + namespace + '/pods/' + POD_NAME)
  const data = { namespace, POD_NAMESPACE, KUBECONFIG, phase: pod.status.phase }
  const map = { metadata: { name: 'found' }, data }
  await call('GET', '/apis/example.com/v1/databases?watch=true', undefined, () => call('POST', '/api/v1/namespaces/default/configmaps', map))
}
main()
`

test('--in-cluster: the files of a service account, and a pod', async (t) => {
  if (spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status !== 0) return t.skip('no namespaces for this user')
  const wanted = { namespace: 'operators', POD_NAMESPACE: 'operators', KUBECONFIG: 'none', phase: 'Running' }
  const never = [`has(object.data) && object.metadata.name == "found" && object.data == ${JSON.stringify(wanted)}`]
  const sample = database({})
  const { findings } = await searchOperator({
    operator: { command: [process.execPath, '-e', OPERATOR], inCluster: 'operators' },
    install: [databases({})],
    samples: [sample],
    steps: [{ name: 'create', apply: [sample] }],
    never,
    patienceMs: 0,
  })
  assert.match(findings[0]?.symptoms[0]?.text ?? '', /^ConfigMap default\/found \(added\) makes it true in step 1$/)
})

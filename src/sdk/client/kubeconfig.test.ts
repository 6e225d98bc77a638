import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeconfigError, loadKubeconfig } from './kubeconfig.ts'

const text = `
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: here, context: {cluster: c, user: u, namespace: work}}
- {name: there, context: {cluster: missing, user: u}}
clusters:
- {name: c, cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: ${btoa('CA')}}}
users:
- {name: u, user: {token: secret}}
`

test('reads the current context with inline data', async () => {
  const config = await loadKubeconfig(text)
  assert.deepEqual(config, { context: 'here', namespace: 'work', server: 'https://127.0.0.1:6443', ca: 'CA', token: 'secret' })
})

test('missing entries are named', async () => {
  await assert.rejects(loadKubeconfig(text, { context: 'nowhere' }), (e) => e instanceof KubeconfigError && e.code === 'no-context')
  await assert.rejects(loadKubeconfig(text, { context: 'there' }), (e) => e instanceof KubeconfigError && e.code === 'no-cluster')
  await assert.rejects(loadKubeconfig('- a'), (e) => e instanceof KubeconfigError && e.code === 'malformed')
  await assert.rejects(loadKubeconfig('a: [}'), (e) => e instanceof KubeconfigError && e.code === 'malformed')
})

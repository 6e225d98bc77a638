import assert from 'node:assert/strict'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import { openCertificates } from '../cluster/certificates.ts'
import { CONFIG_MAPS, NAMESPACES, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../resources/refs.ts'
import type { RuleWithOperations, ValidatingWebhook, ValidatingWebhookConfiguration } from '../resources/types/admissionregistration.ts'
import type { ConfigMap } from '../resources/types/core.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { startCluster } from './start-cluster.ts'

const DAY_MS = 86_400_000
const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }

test('time does not overtake a call that is on its way through sockets', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const server = await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const [ca, cert, key] = ['certificate-authority-data', 'client-certificate-data', 'client-key-data'].map((field) =>
    Buffer.from(new RegExp(`${field}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString(),
  )
  await using transport = httpsTransport({ server, ca: ca ?? '', cert: cert ?? '', key: key ?? '' }, { clock })
  const listing = createClient(transport).list(NAMESPACES)
  // The call's own time limit is 30 seconds.
  await clock.advance(DAY_MS)
  assert.ok((await listing).items.length >= 4)
})

test('time does not overtake a webhook, and goes on when it hangs', async () => {
  const impatient: string[] = []
  const clock = new VirtualClock(Date.UTC(2026, 0, 1), { patienceMs: 300, onImpatience: (busy) => impatient.push(...busy) })
  const keys = openCertificates({ folder: undefined, serviceCidr: '10.0.0.0/24' }, { clock })
  let hangs = false
  const tls = { cert: keys.serving.certificate, key: keys.serving.key }
  const webhook = https.createServer(tls, async (request, response) => {
    const text: string[] = []
    for await (const part of request) text.push(String(part))
    if (hangs) return
    const review = JSON.parse(text.join(''))
    response.end(JSON.stringify({ ...review, request: undefined, response: { uid: review.request.uid, allowed: true } }))
  })
  await new Promise<void>((resolve) => void webhook.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/`
  try {
    await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
    const client = cluster.client()
    await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, hookAt(url, keys.ca.certificate))
    const made = client.create({ ...CONFIG_MAPS, namespace: 'default' }, configMap)
    await clock.advance(DAY_MS)
    assert.equal((await made).metadata.name, 'x')
    assert.deepEqual(impatient, [])
    hangs = true
    const refused = assert.rejects(
      client.create({ ...CONFIG_MAPS, namespace: 'default' }, { ...configMap, metadata: { name: 'y' } }),
      /deadline/,
    )
    await clock.advance(DAY_MS)
    await refused
    assert.deepEqual(impatient, [`the webhook ${url}`])
  } finally {
    webhook.closeAllConnections()
    webhook.close()
  }
})

function hookAt(url: string, ca: string): ValidatingWebhookConfiguration {
  const rules: RuleWithOperations[] = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }]
  const clientConfig = { url, caBundle: Buffer.from(ca).toString('base64') }
  const hook: ValidatingWebhook = { name: 'hook.example.com', rules, clientConfig, admissionReviewVersions: ['v1'], sideEffects: 'None' }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hook.example.com' },
    webhooks: [hook],
  }
}

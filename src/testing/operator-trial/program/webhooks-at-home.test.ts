import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atHome } from './webhooks-at-home.ts'

const home = { port: 9443, ca: 'CA' }
const here = (path: string) => ({ url: `https://127.0.0.1:9443${path}`, caBundle: 'Q0E=' })
const service = { name: 'webhook', namespace: 'system', path: '/mutate' }

test('services of webhooks and conversions become this machine; the rest stays', () => {
  const hooks = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name: 'w' } }
  const url = { url: 'https://elsewhere/x' }
  assert.deepEqual(
    atHome(
      {
        ...hooks,
        webhooks: [
          { name: 'a', clientConfig: { service } },
          { name: 'b', clientConfig: url },
        ],
      },
      home,
    ).webhooks,
    [
      { name: 'a', clientConfig: here('/mutate') },
      { name: 'b', clientConfig: url },
    ],
  )
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'd' } }
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { name: 'webhook', namespace: 'system' } } },
  }
  assert.deepEqual(atHome({ ...definition, spec: { group: 'g', conversion } }, home).spec, {
    group: 'g',
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: here('/') } },
  })
  const none = { ...definition, spec: { group: 'g', conversion: { strategy: 'None' } } }
  assert.deepEqual([atHome(none, home), atHome({ ...definition, kind: 'Other' }, home)], [none, { ...definition, kind: 'Other' }])
})

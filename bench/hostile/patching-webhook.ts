/** A mutating webhook for config maps, whose patches are as heavy as a response may be. */
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/machinery/object.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'

export interface PatchingWebhook extends AsyncDisposable {
  /** The MutatingWebhookConfiguration that names it. */
  readonly configuration: string
  /** The operations of its next responses. */
  patch: readonly Json[]
}

export async function patchingWebhook(): Promise<PatchingWebhook> {
  const { cert, key, ca } = testCertificate()
  const server = https.createServer({ cert, key }, async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    const { request: asked } = JSON.parse(text) as { request: { uid: string } }
    const patch = Buffer.from(JSON.stringify(webhook.patch)).toString('base64')
    const answer = { uid: asked.uid, allowed: true, patchType: 'JSONPatch', patch }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const webhook: PatchingWebhook = {
    configuration: configurationOf((server.address() as AddressInfo).port, ca),
    patch: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return webhook
}

const configurationOf = (port: number, ca: string): string =>
  JSON.stringify({
    metadata: { name: 'patches' },
    webhooks: [
      {
        name: 'patches.example.com',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  })

import type { ResourceRef } from '../../../../machinery/api-call.ts'
import { ignoring } from '../../../../machinery/ignoring.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { issueCertificate, newKeyPair } from '../../../../machinery/x509/certificate.ts'
import { MUTATING_WEBHOOK_CONFIGURATIONS, SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../../resources/refs.ts'
import type { Client } from '../../../../sdk/client/client.ts'
import type { ContainerProcess, Program } from '../../program.ts'
import { readFlags } from '../images/flags.ts'

const YEARS_MS = 100 * 365 * 24 * 3_600_000

/** What both kinds of configurations have in common, as far as it is patched. */
type Configuration = KubeObject & { readonly webhooks?: readonly { readonly clientConfig: object; readonly failurePolicy?: string }[] }

const CONFIGURATIONS: readonly (readonly [string, ResourceRef<Configuration>])[] = [
  ['validating', VALIDATING_WEBHOOK_CONFIGURATIONS],
  ['mutating', MUTATING_WEBHOOK_CONFIGURATIONS],
]

/**
 * `kube-webhook-certgen`, which charts run before and after they install a webhook: `create` makes its certificate, in a secret, unless
 * that is there; `patch` writes the authority into the webhook configurations.
 */
export const webhookCertificates: Program = async (container) => {
  const [verb, ...args] = container.args
  if (verb === 'create') return create(container, readFlags(args))
  if (verb === 'patch') return patch(container, readFlags(args))
  container.log(`unknown command "${verb ?? ''}": "create" and "patch" are played`)
  return 1
}

type Flags = ReturnType<typeof readFlags>

async function create(container: ContainerProcess, flags: Flags): Promise<number> {
  const secrets = { ...SECRETS, namespace: flags.text('namespace') }
  const name = flags.text('secret-name')
  if ((await found(container.client, secrets, name)) !== undefined) {
    container.log(`secret ${name} is there already`)
    return 0
  }
  const pair = certificates(flags.text('host').split(','), container.clock.now())
  const texts = { ca: pair.ca, [flags.text('cert-name', 'cert')]: pair.certificate, [flags.text('key-name', 'key')]: pair.key }
  const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
  await container.client.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    type: flags.text('secret-type', 'Opaque'),
    data,
  })
  container.log(`secret ${name} is made`)
  return 0
}

async function patch(container: ContainerProcess, flags: Flags): Promise<number> {
  const { client } = container
  const secret = await found(client, { ...SECRETS, namespace: flags.text('namespace') }, flags.text('secret-name'))
  const caBundle = secret?.data?.ca
  if (typeof caBundle !== 'string') {
    container.log(`secret ${flags.text('secret-name')} has no certificate authority`)
    return 1
  }
  const failurePolicy = flags.text('patch-failure-policy')
  for (const [kind, configurations] of CONFIGURATIONS) {
    if (flags.text(`patch-${kind}`, 'true') === 'false') continue
    const target = { ...configurations, name: flags.text('webhook-name') }
    const configuration = await client.get(target)
    const webhooks = (configuration.webhooks ?? []).map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle },
      ...(failurePolicy !== '' && { failurePolicy }),
    }))
    await client.update(target, { ...configuration, webhooks })
    container.log(`${target.resource} ${target.name} is patched`)
  }
  return 0
}

async function found(client: Client, target: { readonly namespace: string } & typeof SECRETS, name: string) {
  return client.get({ ...target, name }).catch(ignoring('NotFound'))
}

/** An authority of its own, and what it signed; PEM. */
function certificates(hosts: readonly string[], nowMs: number) {
  const [own, server] = [newKeyPair(), newKeyPair()]
  const subject = { commonName: '', organizations: ['nil1'] }
  const validity = { notBefore: nowMs, notAfter: nowMs + YEARS_MS }
  const ca = issueCertificate({ subject, publicKey: own.publicKey, ...validity, authority: true }, { key: own.privateKey, subject })
  const certificate = issueCertificate(
    { subject: { commonName: '', organizations: ['nil2'] }, publicKey: server.publicKey, ...validity, usages: ['server'], dnsNames: hosts },
    { key: own.privateKey, subject },
  )
  return { ca, certificate, key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

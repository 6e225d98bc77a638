import { isObject, type KubeObject } from '../../../machinery/object.ts'

/** Where the operator serves its webhooks, when it runs as a program on this machine. */
export interface WebhookHome {
  readonly port: number
  /** PEM. */
  readonly ca: string
}

/**
 * The configuration of webhooks, or the definition with a conversion, whose services are this machine: there is no pod behind them. Others
 * stay as they are.
 */
export function atHome(
  object: KubeObject & { readonly webhooks?: unknown },
  home: WebhookHome,
): KubeObject & { readonly webhooks?: unknown } {
  if (object.kind === 'MutatingWebhookConfiguration' || object.kind === 'ValidatingWebhookConfiguration') {
    const webhooks: readonly unknown[] = Array.isArray(object.webhooks) ? object.webhooks : []
    return { ...object, webhooks: webhooks.map((hook) => withClientConfig(hook, home)) }
  }
  if (object.kind !== 'CustomResourceDefinition' || !isObject(object.spec) || !isObject(object.spec.conversion)) return object
  const { conversion } = object.spec
  if (!isObject(conversion.webhook)) return object
  return { ...object, spec: { ...object.spec, conversion: { ...conversion, webhook: withClientConfig(conversion.webhook, home) } } }
}

function withClientConfig(holder: unknown, { port, ca }: WebhookHome): unknown {
  if (!isObject(holder) || !isObject(holder.clientConfig) || !isObject(holder.clientConfig.service)) return holder
  const path = typeof holder.clientConfig.service.path === 'string' ? holder.clientConfig.service.path : '/'
  const clientConfig = { url: `https://127.0.0.1:${port}${path}`, caBundle: Buffer.from(ca).toString('base64') }
  return { ...holder, clientConfig }
}

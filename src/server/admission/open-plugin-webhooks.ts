import type { Clock } from '../../base/clock.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { readWebhookKubeconfig, WebhookConfigError } from '../webhook-callers/kubeconfig.ts'
import { createWebhookCaller, type WebhookCaller } from '../webhook-callers/webhook-caller.ts'
import { readWebhookIdentities, type WebhookIdentities } from '../webhook-callers/webhook-identities.ts'
import { PluginConfigurationError } from './configuration/plugin-configuration.ts'
import type { PluginSettings } from './settings.ts'

/** The webhooks whose kubeconfigs are in plugin configurations. */
export interface PluginWebhooks extends AsyncDisposable {
  /** The backend of ImagePolicyWebhook. */
  readonly imagePolicy: WebhookCaller | undefined
  /** The server's credentials for dynamic webhooks. */
  readonly mutating: WebhookIdentities | undefined
  readonly validating: WebhookIdentities | undefined
}

/** Reads the kubeconfigs of plugin configurations. @throws {PluginConfigurationError} with kube-apiserver's message */
export async function openPluginWebhooks({ imagePolicy, webhookKubeconfigs }: PluginSettings, clock: Clock): Promise<PluginWebhooks> {
  const { mutating, validating } = webhookKubeconfigs
  const identities = (plugin: string, file: string | undefined) =>
    file === undefined ? undefined : reading(plugin, () => readWebhookIdentities(file))
  const webhooks = {
    mutating: await identities('MutatingAdmissionWebhook', mutating),
    validating: await identities('ValidatingAdmissionWebhook', validating),
    imagePolicy:
      imagePolicy === undefined
        ? undefined
        : createWebhookCaller(await reading('ImagePolicyWebhook', () => readWebhookKubeconfig(imagePolicy.kubeConfigFile)), { clock }),
  }
  return { ...webhooks, [Symbol.asyncDispose]: async () => webhooks.imagePolicy?.[Symbol.dispose]() }
}

async function reading<T>(plugin: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof WebhookConfigError)) throw error
    throw new PluginConfigurationError(`failed to apply admission: couldn't init admission plugin ${goQuote(plugin)}: ${error.message}`, {
      cause: error,
    })
  }
}

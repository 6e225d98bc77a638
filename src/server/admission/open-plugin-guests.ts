import type { Clock } from '../../base/clock.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { createGuestCaller, type GuestCaller } from '../guests/guest-caller.ts'
import { type GuestIdentities, readGuestIdentities } from '../guests/guest-identities.ts'
import { GuestConfigError, readGuestKubeconfig } from '../guests/kubeconfig.ts'
import { PluginConfigurationError } from './configuration/plugin-configuration.ts'
import type { PluginSettings } from './settings.ts'

/** The guests that plugins are told of by files. */
export interface PluginGuests extends AsyncDisposable {
  /** Asks about images. */
  readonly imagePolicy: GuestCaller | undefined
  /** With what the server proves itself to dynamic webhooks. */
  readonly mutating: GuestIdentities | undefined
  readonly validating: GuestIdentities | undefined
}

/** Reads the kubeconfigs that plugins are told of. @throws {PluginConfigurationError} in kube-apiserver's words */
export async function openPluginGuests({ imagePolicy, webhookKubeconfigs }: PluginSettings, clock: Clock): Promise<PluginGuests> {
  const { mutating, validating } = webhookKubeconfigs
  const identities = (plugin: string, file: string | undefined) =>
    file === undefined ? undefined : reading(plugin, () => readGuestIdentities(file))
  const guests = {
    mutating: await identities('MutatingAdmissionWebhook', mutating),
    validating: await identities('ValidatingAdmissionWebhook', validating),
    imagePolicy:
      imagePolicy === undefined
        ? undefined
        : createGuestCaller(await reading('ImagePolicyWebhook', () => readGuestKubeconfig(imagePolicy.kubeConfigFile)), { clock }),
  }
  return { ...guests, [Symbol.asyncDispose]: async () => guests.imagePolicy?.[Symbol.dispose]() }
}

async function reading<T>(plugin: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof GuestConfigError)) throw error
    throw new PluginConfigurationError(`failed to apply admission: couldn't init admission plugin ${goQuote(plugin)}: ${error.message}`, {
      cause: error,
    })
  }
}

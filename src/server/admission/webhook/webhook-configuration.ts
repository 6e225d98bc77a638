import path from 'node:path'
import { faultText, invalid } from '../../../machinery/field-error.ts'
import { goString, struct } from '../../../machinery/go/go-type.ts'
import { decodePluginConfiguration, PluginConfigurationError } from '../configuration/plugin-configuration.ts'

const OLD_GROUP = 'apiserver.config.k8s.io'

/** The kubeconfig with the server's credentials for webhooks; undefined if there is none. @throws {PluginConfigurationError} */
export function readWebhookKubeconfig(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const old = text.includes('"WebhookAdmission"')
  const { kubeConfigFile = '' } = decodePluginConfiguration(text, {
    group: OLD_GROUP,
    versions: old ? ['v1alpha1'] : ['v1'],
    kind: old ? 'WebhookAdmission' : 'WebhookAdmissionConfiguration',
    type: (version) => struct(`${version}.WebhookAdmission`, { kubeConfigFile: goString }),
    strict: true,
  }) as { kubeConfigFile?: string }
  if (kubeConfigFile === '') return undefined
  if (path.isAbsolute(kubeConfigFile)) return kubeConfigFile
  throw new PluginConfigurationError(faultText(invalid('kubeConfigFile', kubeConfigFile, 'must be an absolute file path')))
}

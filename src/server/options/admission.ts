import { goQuote } from '../../machinery/field-error.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { int, strings, text } from '../../machinery/flags/kinds.ts'
import { type PluginSource, readAdmissionConfiguration } from '../admission/configuration/admission-configuration.ts'
import { PluginConfigurationError } from '../admission/configuration/plugin-configuration.ts'
import { readEventLimits } from '../admission/event-rate-limit.ts'
import { enabledPlugins, PLUGIN_NAMES } from '../admission/plugin-order.ts'
import { readPodSecurity } from '../admission/pod-security/configuration.ts'
import { readImagePolicy } from '../admission/pods/image-policy-webhook.ts'
import { readNodeSelectors } from '../admission/pods/pod-node-selector.ts'
import { readTolerationDefaults } from '../admission/pods/pod-toleration-restriction.ts'
import { readLimitedResources } from '../admission/quota/limited-resources.ts'
import { PLUGIN_DEFAULTS, type PluginSettings } from '../admission/settings.ts'
import { readWebhookKubeconfig } from '../admission/webhook/webhook-configuration.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

/** The enabled admission plugins, and their configuration. */
export const ADMISSION_FLAGS = {
  'enable-admission-plugins': strings([], { help: 'plugins to run besides those that run by default' }),
  'disable-admission-plugins': strings([], { help: 'plugins not to run' }),
  'admission-control': strings([], { help: 'the only plugins that run (instead of the two flags above)' }),
  'admission-control-config-file': text('', { help: 'an AdmissionConfiguration: the configuration of the plugins' }),
  'default-not-ready-toleration-seconds': int(300, { help: 'how long pods without such a toleration stay on a node that is not ready' }),
  'default-unreachable-toleration-seconds': int(300, { help: 'how long they stay on a node that cannot be reached' }),
}

type AdmissionValues = FlagValues<typeof ADMISSION_FLAGS>

export interface AdmissionOptions {
  /** The names of the enabled plugins, in order. */
  readonly plugins: readonly string[]
  readonly settings: PluginSettings
}

const unknown = (flag: string, names: readonly string[]) =>
  names.filter((name) => !PLUGIN_NAMES.includes(name)).map((name) => `${flag} plugin ${goQuote(name)} is unknown`)

export function admissionFaults({ values, given }: { readonly values: AdmissionValues; readonly given: ReadonlySet<string> }): string[] {
  const enable = values['enable-admission-plugins']
  const disable = values['disable-admission-plugins']
  const both = [...new Set(enable.filter((name) => disable.includes(name)))].sort()
  const exclusive =
    given.has('admission-control') && (given.has('enable-admission-plugins') || given.has('disable-admission-plugins'))
      ? ['admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive']
      : []
  return [
    ...exclusive,
    ...unknown('admission-control', values['admission-control']),
    ...unknown('enable-admission-plugins', enable),
    ...unknown('disable-admission-plugins', disable),
    ...(both.length === 0 ? [] : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ]
}

/** The plugins of the flags, and the content of their files. */
export function readAdmission({ values }: { readonly values: AdmissionValues }): AdmissionOptions {
  const only = values['admission-control']
  const plugins =
    only.length > 0
      ? PLUGIN_NAMES.filter((name) => only.includes(name))
      : enabledPlugins(values['enable-admission-plugins'], values['disable-admission-plugins'])
  const sources = readSources(values['admission-control-config-file'])
  /** The configuration of an enabled plugin; that of a disabled one is not validated. */
  const reported = <T>(plugin: string, read: (text: string | undefined) => T, otherwise: T): T =>
    plugins.includes(plugin) ? readPlugin(plugin, sources.get(plugin), read) : otherwise
  const unsaid = PLUGIN_DEFAULTS
  return {
    plugins,
    settings: {
      imagePolicy: reported('ImagePolicyWebhook', readImagePolicy, unsaid.imagePolicy),
      podSecurity: reported('PodSecurity', readPodSecurity, unsaid.podSecurity),
      nodeSelectors: reported('PodNodeSelector', (text) => readNodeSelectors(text ?? ''), unsaid.nodeSelectors),
      tolerations: reported('PodTolerationRestriction', readTolerationDefaults, unsaid.tolerations),
      eventLimits: reported('EventRateLimit', readEventLimits, unsaid.eventLimits),
      limitedResources: reported('ResourceQuota', readLimitedResources, unsaid.limitedResources),
      webhookKubeconfigs: {
        mutating: reported('MutatingAdmissionWebhook', readWebhookKubeconfig, undefined),
        validating: reported('ValidatingAdmissionWebhook', readWebhookKubeconfig, undefined),
      },
      tolerationSeconds: {
        notReady: values['default-not-ready-toleration-seconds'],
        unreachable: values['default-unreachable-toleration-seconds'],
      },
    },
  }
}

const wrong = (message: string, cause?: unknown) => new OptionsError('bad-file', `failed to apply admission: ${message}`, { cause })

function readSources(file: string): ReadonlyMap<string, PluginSource> {
  if (file === '') return new Map()
  const text = optionFile(
    file,
    (error) =>
      `failed to apply admission: failed to read plugin config: unable to read admission control configuration from ${goQuote(file)} [${error}]`,
  ).current()
  try {
    return readAdmissionConfiguration(text, file)
  } catch (error) {
    if (error instanceof PluginConfigurationError) throw wrong(`failed to read plugin config: ${error.message}`, error)
    throw error
  }
}

function readPlugin<T>(plugin: string, source: PluginSource | undefined, read: (text: string | undefined) => T): T {
  const text =
    source?.kind === 'file'
      ? optionFile(source.file, (error) => `failed to apply admission: ${error}`).current()
      : source?.kind === 'text'
        ? source.text
        : undefined
  try {
    return read(text)
  } catch (error) {
    if (error instanceof PluginConfigurationError)
      throw wrong(
        `${error.code === 'unusable' ? 'failed to initialize' : `couldn't init`} admission plugin ${goQuote(plugin)}: ${error.message}`,
        error,
      )
    throw error
  }
}

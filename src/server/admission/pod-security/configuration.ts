import { duplicate, type FieldError, faultText, invalid, reportedFaults } from '../../../machinery/field-error.ts'
import { goString, listOf, struct } from '../../../machinery/go/go-type.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import { dns1123Label, dns1123Subdomain } from '../../../machinery/names.ts'
import { decodePluginConfiguration, PluginConfigurationError } from '../configuration/plugin-configuration.ts'
import { FREE_POLICY, isLevel, LEVEL_RULE, MODES, type NamespacePolicy, readVersion, VERSION_RULE } from './policy.ts'

/** The defaults of namespaces without labels, and the exemptions. */
export interface PodSecurityConfiguration {
  readonly defaults: NamespacePolicy
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

export const NO_POD_SECURITY_DEFAULTS: PodSecurityConfiguration = {
  defaults: FREE_POLICY,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

const TYPE = (version: string) =>
  struct(`${version}.PodSecurityConfiguration`, {
    defaults: struct(
      `${version}.PodSecurityDefaults`,
      Object.fromEntries(MODES.flatMap((mode) => [mode, `${mode}-version`]).map((field) => [field, goString])),
    ),
    exemptions: struct(`${version}.PodSecurityExemptions`, {
      usernames: listOf(goString),
      namespaces: listOf(goString),
      runtimeClasses: listOf(goString),
    }),
  })

interface WrittenConfiguration {
  readonly defaults?: Readonly<Record<string, string>>
  readonly exemptions?: Partial<PodSecurityConfiguration['exemptions']>
}

/** Parses the plugin's configuration. @throws {PluginConfigurationError} */
export function readPodSecurity(text: string | undefined): PodSecurityConfiguration {
  if (text === undefined || text === '') return NO_POD_SECURITY_DEFAULTS
  const { defaults = {}, exemptions = {} }: WrittenConfiguration = decodePluginConfiguration(text, {
    group: 'pod-security.admission.config.k8s.io',
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    kind: 'PodSecurityConfiguration',
    type: TYPE,
    strict: true,
  })
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions
  const wrong = MODES.flatMap((mode) => modeFaults(defaults, mode))
  if (wrong.length > 0) throw new PluginConfigurationError(`PodSecurity configuration error: ${joinErrors(wrong)}`, { code: 'unusable' })
  const faults = reportedFaults([
    ...listFaults(namespaces, 'namespaces', (name) => dns1123Label(name).join(', ')),
    ...listFaults(runtimeClasses, 'runtimeClasses', (name) => dns1123Subdomain(name).join(', ')),
    ...listFaults(usernames, 'usernames', (name) => (name === '' ? 'username must not be empty' : '')),
  ])
  if (faults.length > 0)
    throw new PluginConfigurationError(`PodSecurity invalid: ${joinErrors(faults.map(faultText))}`, { code: 'unusable' })
  const policy = (mode: string) => {
    const level = defaults[mode] || 'privileged'
    return {
      level: isLevel(level) ? level : 'restricted',
      version: readVersion(defaults[`${mode}-version`] || 'latest') ?? 'latest',
    } as const
  }
  return {
    defaults: { enforce: policy('enforce'), audit: policy('audit'), warn: policy('warn') },
    exemptions: { usernames, namespaces, runtimeClasses },
  }
}

function modeFaults(defaults: Readonly<Record<string, string>>, mode: string): string[] {
  const level = defaults[mode] || 'privileged'
  const version = defaults[`${mode}-version`] || 'latest'
  return [
    ...(isLevel(level) ? [] : [`${mode}: ${LEVEL_RULE}`]),
    ...(readVersion(version) === undefined ? [`${mode}-version: ${VERSION_RULE}`] : []),
  ]
}

function listFaults(list: readonly string[], name: string, wrong: (item: string) => string): FieldError[] {
  const seen = new Set<string>()
  return list.flatMap((item, i) => {
    const at = `exemptions.${name}[${i}]`
    const why = wrong(item)
    if (why !== '') return [invalid(at, item, why)]
    if (seen.has(item)) return [duplicate(at, item)]
    seen.add(item)
    return []
  })
}

import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  invalidNamed,
  notSupported,
  required,
  tooLong,
} from '../../../machinery/field-error.ts'
import { dns1123Subdomain, unixId } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { enumOf, validateEnum } from '../../enumerations.ts'
import { LONGEST_PROFILE } from '../app-armor.ts'
import { internalForm } from '../internal-form.ts'
import type { PodRules, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext, WindowsOptions } from '../types.ts'
import { validateLocalDescendingPath } from './validate-paths.ts'

const longestSysctl = 253
const SYSCTL = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'

/** Validates a container's security context. */
export function validateSecurityContext(sc: SecurityContext | undefined, path: string, hostUsers: boolean, rules: PodRules): FieldError[] {
  if (!sc) return []
  const faults: FieldError[] = []
  if (sc.privileged && !rules.allowPrivileged) faults.push(forbidden(child(path, 'privileged'), 'disallowed by cluster policy'))
  faults.push(...validateIds(sc, ['runAsUser', 'runAsGroup'], path))
  if (sc.procMount !== undefined) {
    if (sc.procMount !== 'Default' && sc.procMount !== 'Unmasked')
      faults.push(notSupported(child(path, 'procMount'), sc.procMount, enumOf('core_v1.ProcMountType')))
    else if (hostUsers && sc.procMount === 'Unmasked')
      faults.push(invalid(child(path, 'procMount'), sc.procMount, '`hostUsers` must be false to use `Unmasked`'))
  }
  faults.push(...validateSeccomp(sc.seccompProfile, child(path, 'seccompProfile')))
  if (sc.allowPrivilegeEscalation === false) {
    if (sc.privileged)
      faults.push(
        invalid(
          path,
          internalForm(sc, 'containers', 'securityContext'),
          'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
        ),
      )
    if (sc.capabilities?.add?.includes('CAP_SYS_ADMIN'))
      faults.push(
        invalid(
          path,
          internalForm(sc, 'containers', 'securityContext'),
          'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
        ),
      )
  }
  faults.push(...validateWindowsOptions(sc.windowsOptions, child(path, 'windowsOptions')))
  return [...faults, ...validateAppArmor(sc.appArmorProfile, child(path, 'appArmorProfile'))]
}

/** Validates a pod's security context. */
export function validatePodSecurityContext(sc: PodSecurityContext | undefined, spec: PodSpec, path: string): FieldError[] {
  if (!sc) return []
  const faults = validateIds(sc, ['fsGroup', 'runAsUser', 'runAsGroup'], path)
  faults.push(
    ...faultsOfEach(sc.supplementalGroups, (group, i) =>
      unixId(group).map((text) => invalid(index(child(path, 'supplementalGroups'), i), group, text)),
    ),
  )
  if (spec.hostPID && spec.shareProcessNamespace)
    faults.push(invalid(child(path, 'shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'))
  faults.push(...validateSysctls(sc, spec, child(path, 'sysctls')))
  faults.push(...validateChoice(sc.fsGroupChangePolicy, enumOf('core_v1.PodFSGroupChangePolicy'), child(path, 'fsGroupChangePolicy')))
  faults.push(...validateSeccomp(sc.seccompProfile, child(path, 'seccompProfile')))
  faults.push(...validateWindowsOptions(sc.windowsOptions, child(path, 'windowsOptions')))
  faults.push(...validateAppArmor(sc.appArmorProfile, child(path, 'appArmorProfile')))
  return [
    ...faults,
    ...validateChoice(sc.supplementalGroupsPolicy, enumOf('core_v1.SupplementalGroupsPolicy'), child(path, 'supplementalGroupsPolicy')),
    // MountOption needs the gate SELinuxMount, which is off.
    ...validateChoice(sc.seLinuxChangePolicy, ['Recursive'], child(path, 'seLinuxChangePolicy')),
  ]
}

const validateChoice = (value: string | undefined, supported: readonly string[], path: string): FieldError[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)]

function validateIds<K extends string>(sc: { readonly [k in K]?: number }, fields: readonly K[], path: string): FieldError[] {
  return fields.flatMap((field) => {
    const id = sc[field]
    return id === undefined ? [] : unixId(id).map((text) => invalid(child(path, field), id, text))
  })
}

function validateSysctls(sc: PodSecurityContext, spec: PodSpec, path: string): FieldError[] {
  const names = new Set<string>()
  return faultsOfEach(sc.sysctls, (sysctl, i) => {
    const at = child(index(path, i), 'name')
    const name = sysctl.name ?? ''
    const faults: FieldError[] = []
    if (name === '') faults.push(required(at))
    else if (!isSysctlName(name))
      faults.push(invalid(at, name, `must have at most ${longestSysctl} characters and match regex ^${SYSCTL}$`))
    else if (names.has(name)) faults.push(duplicate(at, name))
    names.add(name)
    const space = sysctlNamespace(name)
    if (spec.hostNetwork && space === 'net') faults.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    if (spec.hostIPC && space === 'ipc') faults.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    return faults
  })
}

// Segment by segment, so that matching is linear.
const isSysctlName = (name: string): boolean =>
  name.length <= longestSysctl &&
  name.split(/[./]/).every((part) => /^[a-z0-9]/.test(part) && /[a-z0-9]$/.test(part) && /^[-_a-z0-9]+$/.test(part))

function sysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const firstSeparator = name.search(/[./]/)
  const dotted = name.charAt(firstSeparator) === '/' ? name.replace(/[./]/g, (c) => (c === '.' ? '/' : '.')) : name
  if (dotted.startsWith('net.')) return 'net'
  return /^(?:kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted) || dotted === 'kernel.sem' ? 'ipc' : undefined
}

function validateSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (!profile) return []
  const faults: FieldError[] = []
  const type = profile.type ?? ''
  if (type === '') faults.push(required(child(path, 'type'), 'type is required when seccompProfile is set'))
  else faults.push(...validateEnum(type, 'core_v1.SeccompProfileType', child(path, 'type')))
  const at = child(path, 'localhostProfile')
  if (type === 'Localhost') {
    if (profile.localhostProfile === undefined) faults.push(required(at, 'must be set when seccomp type is Localhost'))
    else faults.push(...validateLocalDescendingPath(profile.localhostProfile, at))
  } else if (profile.localhostProfile !== undefined)
    faults.push(invalid(at, internalForm(profile, 'securityContext', 'seccompProfile'), 'can only be set when seccomp type is Localhost'))
  return faults
}

function validateAppArmor(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (!profile) return []
  const type = profile.type ?? ''
  const at = child(path, 'localhostProfile')
  if (type === '') return [required(child(path, 'type'), 'type is required when appArmorProfile is set')]
  const unknown = validateEnum(type, 'core_v1.AppArmorProfileType', child(path, 'type'))
  if (unknown.length > 0) return unknown
  const local = profile.localhostProfile
  if (type !== 'Localhost') return local === undefined ? [] : [invalid(at, local, 'can only be set when AppArmor type is Localhost')]
  if (local === undefined) return [required(at, 'must be set when AppArmor type is Localhost')]
  if (local.trim() !== local) return [invalid(at, local, 'must not be padded with whitespace')]
  if (local === '') return [required(at, 'must be set when AppArmor type is Localhost')]
  return local.length > LONGEST_PROFILE ? [tooLong(at, LONGEST_PROFILE)] : []
}

const largestCredentialSpecKiB = 64

function validateWindowsOptions(options: WindowsOptions | undefined, path: string): FieldError[] {
  if (!options) return []
  const faults: FieldError[] = []
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: text, runAsUserName: user } = options
  if (name !== undefined)
    for (const fault of dns1123Subdomain(name)) faults.push(invalidNamed(child(path, 'gmsaCredentialSpecName'), name, fault))
  if (text !== undefined) {
    const at = child(path, 'gmsaCredentialSpec')
    if (text === '') faults.push(invalidNamed(at, text, 'gmsaCredentialSpec cannot be an empty string'))
    else if (Buffer.byteLength(text) > largestCredentialSpecKiB * 1024)
      faults.push(invalidNamed(at, text, `gmsaCredentialSpec size must be under ${largestCredentialSpecKiB} KiB`))
  }
  if (user !== undefined) faults.push(...validateWindowsUser(user, child(path, 'runAsUserName')))
  return faults
}

const longestDomain = 256
const longestUser = 104
/** A NetBIOS name as Windows accepts it: up to fifteen characters, including spaces and letters of any script. */
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u
const DNS_DOMAIN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/i

function validateWindowsUser(user: string, path: string): FieldError[] {
  if (user === '') return [invalidNamed(path, user, 'runAsUserName cannot be an empty string')]
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(user)) return [invalidNamed(path, user, 'runAsUserName cannot contain control characters')]
  const parts = user.split('\\')
  if (parts.length > 2) return [invalidNamed(path, user, 'runAsUserName cannot contain more than one backslash')]
  const faults: FieldError[] = []
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined
  const name = parts.at(-1) ?? ''
  if (domain !== undefined) {
    if (domain.length >= longestDomain)
      faults.push(invalidNamed(path, user, `runAsUserName's Domain length must be under ${longestDomain} characters`))
    if (!NETBIOS.test(domain) && !DNS_DOMAIN.test(domain))
      faults.push(invalidNamed(path, user, "runAsUserName's Domain doesn't match the NetBios nor the DNS format"))
  }
  if (name === '') faults.push(invalidNamed(path, user, "runAsUserName's User cannot be empty"))
  else if (name.length > longestUser)
    faults.push(invalidNamed(path, user, `runAsUserName's User length must not be longer than ${longestUser} characters`))
  if (/^[. ]+$/.test(name)) faults.push(invalidNamed(path, user, "runAsUserName's User cannot contain only periods or spaces"))
  if (/["/\\[\]:;|=,+*?<>@]/.test(name))
    faults.push(invalidNamed(path, user, `runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`))
  return faults
}

import { child, type FieldError, index, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { dns1123Subdomain, dns1123SubdomainWithUnderscore, ipAddress } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { invalidEach } from '../../checks.ts'
import type { PodDnsConfig, PodSpec } from '../types.ts'

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const mostServers = 3
const mostSearches = 32
const longestSearch = 2048

export function validateDnsPolicy(policy: string | undefined, path: string): FieldError[] {
  if (!policy) return [required(path)]
  return POLICIES.includes(policy) ? [] : [notSupported(path, policy, POLICIES)]
}

/** Validates the DNS config of a pod; the policy `None` requires it. */
export function validateDnsConfig(config: PodDnsConfig | undefined, policy: string | undefined, path: string): FieldError[] {
  if (policy === 'None') {
    if (!config) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if ((config.nameservers ?? []).length === 0)
      return [required(child(path, 'nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')]
  }
  if (!config) return []
  const faults: FieldError[] = []
  const servers = config.nameservers ?? []
  const at = child(path, 'nameservers')
  if (servers.length > mostServers) faults.push(invalid(at, servers, `must not have more than ${mostServers} nameservers`))
  faults.push(...faultsOfEach(servers, (server, i) => invalidEach(index(at, i), server, ipAddress(server))))
  faults.push(...validateSearches(config.searches ?? [], child(path, 'searches')))
  return [
    ...faults,
    ...faultsOfEach(config.options, (option, i) => (!option.name ? [required(index(child(path, 'options'), i), 'must not be empty')] : [])),
  ]
}

function validateSearches(searches: readonly string[], path: string): FieldError[] {
  const faults: FieldError[] = []
  if (searches.length > mostSearches) faults.push(invalid(path, searches, `must not have more than ${mostSearches} search paths`))
  if (searches.join(' ').length > longestSearch)
    faults.push(invalid(path, searches, `must not have more than ${longestSearch} characters (including spaces) in the search list`))
  return [
    ...faults,
    ...faultsOfEach(searches, (search, i) => {
      const found: FieldError[] = []
      if (search === '.') return found
      const name = search.endsWith('.') ? search.slice(0, -1) : search
      found.push(...invalidEach(index(path, i), name, dns1123SubdomainWithUnderscore(name)))
      return found
    }),
  ]
}

export function validateHostAliases(aliases: PodSpec['hostAliases'], path: string): FieldError[] {
  return faultsOfEach(aliases, (alias, i) => [
    ...invalidEach(child(index(path, i), 'ip'), alias.ip ?? '', ipAddress(alias.ip ?? '')),
    ...faultsOfEach(alias.hostnames, (name, h) => invalidEach(index(child(index(path, i), 'hostnames'), h), name, dns1123Subdomain(name))),
  ])
}

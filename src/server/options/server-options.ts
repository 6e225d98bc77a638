import type { AnyFlag } from '../../machinery/flags/flag.ts'
import type { ParsedFlags } from '../../machinery/flags/parse-flags.ts'
import type { AuditOptions } from '../audit/audit-options.ts'
import type { AuthenticationOptions, AuthorizationOptions, ServiceAccountOptions } from '../auth/auth-options.ts'
import { OptionsError, throwFaults } from '../options-error.ts'
import { ADMISSION_FLAGS, type AdmissionOptions, admissionFaults, readAdmission } from './admission.ts'
import { AGGREGATION_FLAGS, type AggregationOptions, aggregationFaults, readAggregation } from './aggregation.ts'
import { AUDIT_FLAGS, auditFaults, readAudit } from './audit.ts'
import { AUTHENTICATION_FLAGS, authenticationFaults, readAuthentication } from './authentication.ts'
import { AUTHORIZATION_FLAGS, allowsAll, authorizationFaults, readAuthorization } from './authorization.ts'
import { FEATURE_FLAGS, type FeatureOptions, featureFaults, gateFault, readFeatures } from './features.ts'
import { NETWORK_FLAGS, type NetworkOptions, networkFaults, readNetwork } from './network.ts'
import { OBSERVABILITY_FLAGS, observabilityFaults } from './observability.ts'
import { PEER_FLAGS, type PeerOptions, peerFaults, readPeers } from './peers.ts'
import { checkConcurrency, REQUEST_FLAGS, type RequestOptions, readRequests, requestFaults } from './requests.ts'
import { readServiceAccounts, SERVICE_ACCOUNT_FLAGS, serviceAccountFaults } from './service-accounts.ts'
import { readServing, SERVING_FLAGS, type ServingOptions, servingFaults } from './serving.ts'
import { cacheSizeFault, readStorage, STORAGE_FLAGS, type StorageOptions, storageFaults } from './storage.ts'

/** The complete options of an API server: from kube-apiserver's flags, or from a cluster that creates one. */
export interface ServerOptions {
  readonly requests: RequestOptions
  readonly storage: StorageOptions
  readonly serving: ServingOptions
  readonly authentication: AuthenticationOptions
  readonly serviceAccounts: ServiceAccountOptions
  readonly aggregation: AggregationOptions
  readonly authorization: AuthorizationOptions
  readonly audit: AuditOptions
  readonly admission: AdmissionOptions
  readonly features: FeatureOptions
  readonly network: NetworkOptions
  readonly peers: PeerOptions
}

/** Every flag of kube-apiserver 1.36, and Bowsprit's own, each in the table of its section. */
export const SERVER_FLAGS = {
  ...REQUEST_FLAGS,
  ...STORAGE_FLAGS,
  ...SERVING_FLAGS,
  ...AUTHENTICATION_FLAGS,
  ...SERVICE_ACCOUNT_FLAGS,
  ...AGGREGATION_FLAGS,
  ...AUTHORIZATION_FLAGS,
  ...AUDIT_FLAGS,
  ...ADMISSION_FLAGS,
  ...FEATURE_FLAGS,
  ...NETWORK_FLAGS,
  ...PEER_FLAGS,
  ...OBSERVABILITY_FLAGS,
}

/** The flags by section, for the help text. */
export const SERVER_FLAG_SECTIONS = {
  Requests: REQUEST_FLAGS,
  Storage: STORAGE_FLAGS,
  'Secure serving': SERVING_FLAGS,
  Authentication: AUTHENTICATION_FLAGS,
  'Service accounts': SERVICE_ACCOUNT_FLAGS,
  Aggregation: AGGREGATION_FLAGS,
  Authorization: AUTHORIZATION_FLAGS,
  Auditing: AUDIT_FLAGS,
  Admission: ADMISSION_FLAGS,
  Features: FEATURE_FLAGS,
  Network: NETWORK_FLAGS,
  'Other servers': PEER_FLAGS,
  'Logs, metrics, traces': OBSERVABILITY_FLAGS,
}

type ServerFlags = ParsedFlags<typeof SERVER_FLAGS>

/**
 * Validates the flags (all faults together, as kube-apiserver does), then loads the files that they name, in kube-apiserver's order.
 * @throws {OptionsError} with kube-apiserver's message
 */
export function readServerOptions(flags: ServerFlags): ServerOptions {
  const gate = gateFault(flags)
  if (gate !== undefined) throw new OptionsError('bad-option', gate)
  throwFaults([
    ...requestFaults(flags),
    ...storageFaults(flags),
    ...servingFaults(flags),
    ...authenticationFaults(flags),
    ...aggregationFaults(flags),
    ...authorizationFaults(flags),
    ...auditFaults(flags),
    ...admissionFaults(flags),
    ...featureFaults(flags),
    ...serviceAccountFaults(flags),
    ...networkFaults(flags),
    ...peerFaults(flags),
    ...observabilityFaults(flags),
  ])
  throwFaults(refusals(flags))
  checkConcurrency(flags)
  const cacheSizes = cacheSizeFault(flags)
  if (cacheSizes !== undefined) throw new OptionsError('bad-option', cacheSizes)
  const peers = readPeers(flags)
  return Object.freeze({
    peers,
    requests: readRequests(flags),
    serving: readServing(flags),
    features: readFeatures(flags),
    storage: readStorage(flags),
    authentication: readAuthentication(flags, { allowsAll: allowsAll(flags) }),
    aggregation: readAggregation(flags),
    serviceAccounts: readServiceAccounts(flags),
    authorization: readAuthorization(flags),
    audit: readAudit(flags),
    admission: readAdmission(flags),
    network: readNetwork(flags),
  })
}

/** Flags that were set but are not supported by this server. */
function refusals({ values, given }: ServerFlags): string[] {
  const table: Readonly<Record<string, AnyFlag>> = SERVER_FLAGS
  const all: Readonly<Record<string, unknown>> = values
  return [...given].flatMap((name) => {
    const flag = table[name]
    if (flag?.effect.kind !== 'refused' || written(all[name]) === written(flag.initial)) return []
    return [`--${name} cannot be followed by Bowsprit: ${flag.effect.reason}`]
  })
}

const written = (value: unknown) => JSON.stringify(value instanceof Map ? [...value] : value)

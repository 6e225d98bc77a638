import { fixedText, type LiveText } from '../../base/live-text.ts'
import { initialValues } from '../../machinery/flags/flag.ts'
import { GATED_KINDS } from '../../resources/gated-kinds.ts'
import { type AuditOptions, NO_AUDIT } from '../../server/audit/audit-options.ts'
import { SERVICE_ACCOUNT_ISSUER } from '../../server/auth/authenticators/service-account-tokens.ts'
import { ADMISSION_FLAGS, readAdmission } from '../../server/options/admission.ts'
import { AUDIT_FLAGS, readAudit } from '../../server/options/audit.ts'
import { NETWORK_FLAGS, readNetwork } from '../../server/options/network.ts'
import { REQUEST_FLAGS, readRequests } from '../../server/options/requests.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { readServing, SERVING_FLAGS } from '../../server/options/serving.ts'
import { readStorage, STORAGE_FLAGS } from '../../server/options/storage.ts'
import { type ClusterCertificates, FRONT_PROXY_NAME } from '../certificates.ts'
import type { ClusterConfig } from '../config.ts'
import { featureGates } from '../feature-gates.ts'
import type { CertifiedKey } from '../issued-certificates.ts'

/** The API server's options in a cluster: Kubernetes' defaults, with the cluster's certificates and its configuration. */
export function serverOptionsOf(config: ClusterConfig, certificates: ClusterCertificates): ServerOptions {
  const { serving, serviceAccount } = certificates
  const gates = featureGates(config)
  return Object.freeze<ServerOptions>({
    requests: readRequests({ values: initialValues(REQUEST_FLAGS) }),
    serving: {
      ...readServing({ values: initialValues(SERVING_FLAGS) }),
      host: config.host,
      port: config.port,
      certificate: { cert: fixedText(serving.certificate), key: fixedText(serving.key) },
    },
    storage: {
      ...readStorage({ values: initialValues(STORAGE_FLAGS) }),
      dataDir: config.dataDir,
      quotaBackendBytes: config.quotaBackendBytes,
      ...(config.etcd && { etcd: config.etcd }),
    },
    authentication: {
      anonymous: { enabled: true, conditions: [] },
      clientCa: fixedText(certificates.ca.certificate),
      // A cluster has one administrator with one certificate: certificate signing requests are easier to read without its hash.
      certificateIds: false,
      tokens: undefined,
      apiAudiences: [],
      bootstrapTokens: true,
      webhook: undefined,
      jwt: undefined,
    },
    serviceAccounts: {
      issuers: [SERVICE_ACCOUNT_ISSUER],
      signingKey: serviceAccount.privateKey,
      publicKeys: serviceAccount.publicKeys,
      jwksUri: undefined,
      lookup: true,
      maxExpirationMs: undefined,
      extendExpiration: true,
    },
    aggregation: {
      frontProxy: {
        ca: fixedText(certificates.frontProxyCa.certificate),
        allowedNames: [FRONT_PROXY_NAME],
        userHeaders: ['X-Remote-User'],
        uidHeaders: ['X-Remote-Uid'],
        groupHeaders: ['X-Remote-Group'],
        extraPrefixes: ['X-Remote-Extra-'],
      },
      proxyClient: whenNeeded(() => certificates.frontProxyClient()),
      routing: false,
      rejectRedirects: true,
    },
    authorization: {
      authorizers: [
        { type: 'Node', name: 'node' },
        { type: 'RBAC', name: 'rbac' },
      ],
      reload: undefined,
      policies: [],
    },
    audit: auditOf(config),
    admission: readAdmission({ values: initialValues(ADMISSION_FLAGS) }),
    // A bare API server keeps kube-apiserver's default; a cluster with nodes runs device plugins and network agents, as kubeadm's do.
    features: {
      unusualGates: [],
      runtimeConfig: new Map(),
      allowPrivileged: config.parts.has('nodes'),
      gatedKinds: GATED_KINDS.filter(({ gate }) => gates.has(gate)),
      gates,
      age: config.age,
      thirdPartyResources: config.thirdPartyResources,
      refuseDoubleBooking: config.refuseDoubleBooking,
      objectLimits: config.objectLimits,
    },
    network: { ...readNetwork({ values: initialValues(NETWORK_FLAGS) }), serviceCidr: config.serviceCidr },
    peers: { advertise: undefined, ca: undefined },
  })
}

/** The audit policy of the cluster, into its one file, which is never rotated. */
function auditOf({ audit }: ClusterConfig): AuditOptions {
  if (audit === undefined) return NO_AUDIT
  const { log } = readAudit({ values: { ...initialValues(AUDIT_FLAGS), 'audit-log-path': audit.file, 'audit-log-maxsize': 0 } })
  return { ...NO_AUDIT, policy: audit.policy, log }
}

/** A certificate that is created on first use: most clusters have no aggregated server. */
function whenNeeded(make: () => CertifiedKey): { readonly cert: LiveText; readonly key: LiveText } {
  let made: CertifiedKey | undefined
  const pair = () => {
    made ??= make()
    return made
  }
  const text = (of: (pair: CertifiedKey) => string): LiveText => ({ ...fixedText(''), current: () => of(pair()) })
  return { cert: text((p) => p.certificate), key: text((p) => p.key) }
}

import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  gates: ['ClusterTrustBundleProjection', 'PodCertificateRequest'],
  create: [
    ['spec.volumes = [{name: v, projected: {sources: [{secret: {name: a}}]}}]', 'spec.volumes[0].projected.defaultMode = 420'],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: ""}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.name: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{configMap: {}}]}}]',
      'spec.volumes[0].projected.sources[0].configMap.name: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a}, configMap: {name: b}}]}}]',
      'spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k}]}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.items[0].path: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: "", path: p}]}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.items[0].key: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: ../p}]}}]}}]',
      `spec.volumes[0].projected.sources[0].secret.items[0].path: Invalid value: "../p": must not contain '..'`,
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: /p}]}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.items[0].path: Invalid value: "/p": must be a relative path',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: p, mode: 512}]}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.items[0].mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: p, mode: 511}]}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: p, mode: -1}]}}]}}]',
      'spec.volumes[0].projected.sources[0].secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, {configMap: {name: b, items: [{key: k, path: p}]}}]}}]',
      'spec.volumes[0].projected: Invalid value: "b": conflicting duplicate paths',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI.items[0].fieldRef.apiVersion = v1',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}, {secret: {name: a, items: [{key: k, path: p}]}}]}}]',
      'spec.volumes[0].projected: Invalid value: "a": conflicting duplicate paths',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: status.podIP}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podI…bels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{fieldRef: {fieldPath: metadata.name}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI.path: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, resourceFieldRef: {resource: limits.cpu}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI.resourceFieldRef.containerName: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, resourceFieldRef: {containerName: main, resource: limits.cpu}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI.items[0].resourceFieldRef.divisor = "0"',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}, resourceFieldRef: {containerName: main, resource: limits.cpu}}]}}]}}]',
      'spec.volumes[0].projected.sources[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]',
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds = 3600',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 600}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 599}}]}}]',
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 4294967296}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 4294967297}}]}}]',
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    ['spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {}}]}}]', 'spec.volumes[0].projected.path: Required value'],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: /t}}]}}]',
      'spec.volumes[0].projected.path: Invalid value: "/t": must be a relative path',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: ..t}}]}}]',
      `spec.volumes[0].projected.path: Invalid value: "..t": must not start with '..'`,
    ],
    [
      '-spec.serviceAccountName && spec.volumes = [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]',
      'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: a}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {name: a}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle.path: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: a, signerName: s.x/s}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle: Invalid value: null: only one of name and signerName may be used',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: ""}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle.name: Required value: must be a valid object name',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: A}}]}}]',
      `spec.volumes[0].projected.sources[0].clusterTrustBundle.name: Invalid value: "A": not a valid cluste…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: a, labelSelector: {}}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle.labelSelector: Invalid value: {}: labelSelector must be unset if name is specified',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, signerName: ""}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle.signerName: Required value: must be a valid signer name',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, signerName: s.x/s, labelSelector: {matchLabels: {a: b}}}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, signerName: s.x/s, labelSelector: {matchExpressions: [{key: a, operator: Like}]}}}]}}]',
      'spec.volumes[0].projected.sources[0].clusterTrustBundle.labelSelector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: ../b, name: a}}]}}]',
      `spec.volumes[0].projected.sources[0].clusterTrustBundle.path: Invalid value: "../b": must not contain '..'`,
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{clusterTrustBundle: {path: b, name: a}}, {clusterTrustBundle: {path: b, name: c}}]}}]',
      'spec.volumes[0].projected.sources[1].clusterTrustBundle.path: Invalid value: "b": conflicting duplicate paths',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {keyType: ED25519, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.signerName: Required value',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x, keyType: ED25519, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.signerName: Invalid value: "s.x": must be a fully qualified domain and path of the form "example.com/signer-name"',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: /s, keyType: ED25519, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.signerName: Invalid value: "/s": must be a fully qualified domain and path of the form "example.com/signer-name"',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: RSA1, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.keyType: Unsupported value: "RSA1": supported va…", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, credentialBundlePath: c}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.keyType: Unsupported value: "": supported values…", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, certificateChainPath: c}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, certificateChainPath: k}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.certificateChainPath: Invalid value: "k": conflicting duplicate paths',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: ../k}}]}}]',
      `spec.volumes[0].projected.sources[0].podCertificate.keyPath: Invalid value: "../k": must not contain '..'`,
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, maxExpirationSeconds: 3599}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.maxExpirationSeconds: Invalid value: 3599: if provided, maxExpirationSeconds must be >= 3600',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, maxExpirationSeconds: 3600}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, maxExpirationSeconds: 7862400}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, maxExpirationSeconds: 7862401}}]}}]',
      'spec.volumes[0].projected.sources[0].podCertificate.maxExpirationSeconds: Invalid value: 7862401: if provided, maxExpirationSeconds must be <= 7862400',
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, userAnnotations: {"a b": c}}}]}}]',
      `spec.volumes[0].projected.sources[0].podCertificate.userAnnotations: Invalid value: "a b": name part…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.volumes = [{name: v, projected: {sources: [{podCertificate: {signerName: s.x/s, keyType: ED25519, keyPath: k, userAnnotations: {s.x/a: c}}}]}}]',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, projected: {defaultMode: 512, sources: [{secret: {name: a}}]}}]',
      'spec.volumes[0].projected.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes = [{name: v, projected: {}}]',
      'spec.volumes[0].projected.sources = null',
      'spec.volumes[0].projected.defaultMode = 420',
    ],
  ],
})

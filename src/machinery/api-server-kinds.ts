const GROUP = 'apiserver.config.k8s.io'
const of = (...versions: readonly string[]) => versions.map((version) => `${GROUP}/${version}`)

/** The kinds of configuration files of an API server, by the versions that upstream's decoder of them knows. */
export const API_SERVER_KINDS: Readonly<Record<string, readonly string[]>> = {
  AdmissionConfiguration: [...of('v1'), 'apiserver.k8s.io/v1alpha1'],
  AuthenticationConfiguration: of('v1', 'v1beta1', 'v1alpha1'),
  AuthorizationConfiguration: of('v1', 'v1beta1', 'v1alpha1'),
  EncryptionConfiguration: of('v1'),
  EgressSelectorConfiguration: [...of('v1beta1'), 'apiserver.k8s.io/v1alpha1'],
  TracingConfiguration: of('v1', 'v1beta1', 'v1alpha1'),
}

import { goAny, goBool, goBytes, goString, listOf, mapOf, struct } from '../../machinery/go/go-type.ts'

const CLUSTER = struct('v1.Cluster', {
  server: goString,
  'tls-server-name': goString,
  'insecure-skip-tls-verify': goBool,
  'certificate-authority': goString,
  'certificate-authority-data': goBytes,
  'proxy-url': goString,
  'disable-compression': goBool,
  extensions: goAny,
})

const USER = struct('v1.AuthInfo', {
  'client-certificate': goString,
  'client-certificate-data': goBytes,
  'client-key': goString,
  'client-key-data': goBytes,
  token: goString,
  tokenFile: goString,
  as: goString,
  'as-uid': goString,
  'as-groups': listOf(goString),
  'as-user-extra': mapOf(listOf(goString)),
  username: goString,
  password: goString,
  'auth-provider': goAny,
  exec: goAny,
  extensions: goAny,
})

/** The parts of a kubeconfig that Go's decoder checks. */
export const CONFIG = struct('v1.Config', {
  kind: goString,
  apiVersion: goString,
  preferences: goAny,
  clusters: listOf(struct('v1.NamedCluster', { name: goString, cluster: CLUSTER })),
  users: listOf(struct('v1.NamedAuthInfo', { name: goString, user: USER })),
  contexts: listOf(
    struct('v1.NamedContext', {
      name: goString,
      context: struct('v1.Context', { cluster: goString, user: goString, namespace: goString, extensions: goAny }),
    }),
  ),
  'current-context': goString,
  extensions: goAny,
})

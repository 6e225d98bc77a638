/** Where runtimes look for networks, unless they are configured otherwise. */
export const CNI_FOLDER = '/etc/cni/net.d'

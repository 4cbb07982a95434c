// Checks for poor links: supervision timeout, power saving, Wi-Fi on the same antenna.

import JSON
import Troubleshooting
import Wire

extension Facts {
  var linkDiagnoses: [Diagnosis] {
    if isSimulated { return [] }
    return adapters.compactMap(timeoutDiagnosis) + host.adapters.compactMap(powerDiagnosis)
      + [wirelessDiagnosis].compactMap { $0 }
  }

  private func timeoutDiagnosis(_ adapter: AdapterRecord) -> Diagnosis? {
    guard let timeout = adapter.links?.supervisionTimeoutMS else { return nil }
    let symptom: LinksSymptom = timeout < LinksSymptom.shortTimeout ? .short : .long
    return symptom.diagnosis([.adapter: adapter.adapter, .timeout: String(timeout)])
  }

  private func powerDiagnosis(_ adapter: HostFacts.Adapter) -> Diagnosis? {
    guard let power = adapter.usbPower else { return nil }
    let symptom: PowerSymptom = power == "auto" ? .suspendable : .alwaysOn
    return symptom.diagnosis([.adapter: adapter.name])
  }

  /// Only for known combined chips: serial Bluetooth with Broadcom's Wi-Fi is one chip with one antenna.
  private var wirelessDiagnosis: Diagnosis? {
    guard host.adapters.contains(where: { $0.driver?.hasPrefix("hci_uart") == true }),
      let wireless = host.wireless.first(where: { $0.driver == "brcmfmac" && $0.isUp })
    else { return nil }
    return WirelessSymptom.sharedAntenna.diagnosis([.interface: wireless.name])
  }
}

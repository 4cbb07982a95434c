// All names of interfaces, members, properties and errors of BlueZ that the program uses.

public import DBus

public enum BlueZName {
  /// The bus name of bluetoothd.
  public static let service = "org.bluez"
  static let root = "/"
  static let agentManager = "/org/bluez"

  public enum Interface {
    public static let adapter = "org.bluez.Adapter1"
    public static let device = "org.bluez.Device1"
    public static let battery = "org.bluez.Battery1"
    public static let gattService = "org.bluez.GattService1"
    public static let characteristic = "org.bluez.GattCharacteristic1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// Other interfaces are not stored.
    static let mirrored: Set<String> = [adapter, device, battery, gattService, characteristic]
    /// Properties of these interfaces are followed on all objects. Those of characteristics are
    /// not, because values that other programs read would arrive here too.
    static let followed = [adapter, device, battery]
  }

  public enum Property {
    public static let address = "Address"
    public static let powered = "Powered"
    /// Since 5.65, at first experimental, so it is often missing.
    public static let powerState = "PowerState"
    public static let discovering = "Discovering"
    public static let modalias = "Modalias"

    public static let adapter = "Adapter"
    public static let name = "Name"
    public static let rssi = "RSSI"
    public static let uuids = "UUIDs"
    public static let manufacturerData = "ManufacturerData"
    public static let serviceData = "ServiceData"
    public static let connected = "Connected"
    public static let servicesResolved = "ServicesResolved"
    public static let paired = "Paired"
    public static let trusted = "Trusted"
    public static let alias = "Alias"

    public static let percentage = "Percentage"
    public static let uuid = "UUID"
    public static let service = "Service"
    public static let flags = "Flags"
    public static let value = "Value"
  }

  enum Member {
    static let getManagedObjects = "GetManagedObjects"
    static let interfacesAdded = "InterfacesAdded"
    static let interfacesRemoved = "InterfacesRemoved"
    static let propertiesChanged = "PropertiesChanged"
    static let set = "Set"

    static let setDiscoveryFilter = "SetDiscoveryFilter"
    static let startDiscovery = "StartDiscovery"
    static let stopDiscovery = "StopDiscovery"
    static let removeDevice = "RemoveDevice"

    static let registerAgent = "RegisterAgent"
    static let unregisterAgent = "UnregisterAgent"
    static let release = "Release"
    static let cancel = "Cancel"
    static let requestPinCode = "RequestPinCode"
    static let requestPasskey = "RequestPasskey"
    static let requestConfirmation = "RequestConfirmation"
    static let requestAuthorization = "RequestAuthorization"
    static let authorizeService = "AuthorizeService"
    static let displayPinCode = "DisplayPinCode"
    static let displayPasskey = "DisplayPasskey"

    static let connect = "Connect"
    static let disconnect = "Disconnect"
    static let pair = "Pair"
    /// Since 5.83: the signal with the reason why a link ended.
    static let disconnected = "Disconnected"

    static let readValue = "ReadValue"
    static let writeValue = "WriteValue"
    static let acquireNotify = "AcquireNotify"
    static let startNotify = "StartNotify"
    static let stopNotify = "StopNotify"
  }

  public enum Flag {
    public static let read = "read"
    public static let write = "write"
    public static let writeWithoutResponse = "write-without-response"
    public static let notify = "notify"
    public static let indicate = "indicate"
  }

  /// Capabilities of an agent.
  enum Capability {
    /// It can enter a passkey, display one, and confirm that two are equal.
    static let keyboardAndDisplay = "KeyboardDisplay"
  }

  /// Why a link ended, since 5.83.
  public enum Reason {
    public static let authentication = "org.bluez.Reason.Authentication"
    public static let local = "org.bluez.Reason.Local"
  }

  enum PowerState {
    static let blocked = "off-blocked"
  }
}

extension BusError.Name {
  public static let bluezFailed: Self = "org.bluez.Error.Failed"
  public static let bluezInProgress: Self = "org.bluez.Error.InProgress"
  public static let bluezNotAvailable: Self = "org.bluez.Error.NotAvailable"
  public static let bluezInvalidArguments: Self = "org.bluez.Error.InvalidArguments"
  public static let bluezLinkKeyMissing: Self = "org.bluez.Error.LeConnectionKeyMissing"
  public static let bluezClassicKeyMissing: Self = "org.bluez.Error.BrConnectionKeyMissing"
  public static let bluezNotReady: Self = "org.bluez.Error.NotReady"
  public static let bluezBlocked: Self = "org.bluez.Error.Blocked"
  public static let bluezAlreadyConnected: Self = "org.bluez.Error.AlreadyConnected"
  public static let bluezNotConnected: Self = "org.bluez.Error.NotConnected"
  public static let bluezNotSupported: Self = "org.bluez.Error.NotSupported"
  public static let bluezNotPermitted: Self = "org.bluez.Error.NotPermitted"
  public static let bluezNotAuthorized: Self = "org.bluez.Error.NotAuthorized"
  public static let bluezDoesNotExist: Self = "org.bluez.Error.DoesNotExist"
  public static let bluezAlreadyExists: Self = "org.bluez.Error.AlreadyExists"
  public static let bluezRejected: Self = "org.bluez.Error.Rejected"
  public static let bluezCanceled: Self = "org.bluez.Error.Canceled"
  public static let bluezAuthenticationCanceled: Self = "org.bluez.Error.AuthenticationCanceled"
  public static let bluezAuthenticationRejected: Self = "org.bluez.Error.AuthenticationRejected"
  public static let bluezAuthenticationTimeout: Self = "org.bluez.Error.AuthenticationTimeout"
  public static let bluezAuthenticationFailed: Self = "org.bluez.Error.AuthenticationFailed"
}

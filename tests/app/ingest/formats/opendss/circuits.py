"""Small circuits in OpenDSS's own language, as clients would send them."""

import io
import zipfile
from collections.abc import Mapping

from app.grid.report import ReadGrid
from app.ingest.formats.opendss import network
from app.ingest.protocol import Request

FEEDER = """! a feeder with the usual ways to write things
Clear
Set DefaultBaseFrequency=60
New Circuit.Small bus1=Source basekv=115 pu=1.02
/* a block comment
New Line.ghost bus1=Source bus2=Ghost
*/
New Linecode.Main nphases=3 r1=0.3 x1=0.6 c1=10 units=km normamps=400
New LineCode.Lateral nphases=1 rmatrix=[0.5] xmatrix=[0.9] cmatrix=[8] units=km // a comment
New Transformer.Sub phases=3 windings=2 buses=(Source, Head.1.2.3.0) conns=(delta wye)
~ kvs=(115, 12.47) kvas=(10000 10000) xhl=8
more %rs=(0.5, 0.5)
New Line.L1 Head A Main 2 units=km
New Line.L2 bus1=A.2 bus2=B.2 linecode=Lateral length=500 units=m
New Line.L3 like=L2 bus1=A.3, bus2=C.3, length=(0.5 1000 *)
New Line.Tie bus1=B.2 bus2=C.2 switch=yes phases=1 enabled=no
New Transformer.Service phases=1 windings=3 xhl=2 %loadloss=1.2
~ wdg=1 bus=B.2 kv=7.2 kva=25
~ wdg=2 bus=House.1.0 kv=0.12 kva=25
~ wdg=3 bus=House.0.2 kv=0.12 kva=25
New Load.H1 phases=1 bus1=House.1 kv=0.12 kw=3 pf=0.9
New Load.H2 phases=1 bus=House.2 kv=0.12 kW=2 kvar=1
New Load.Big bus1=A kv=12.47 kva=100 pf=-0.8 phases=3
New Capacitor.Cap bus1=A kv=12.47 kvar=300
New PVSystem.Roof phases=1 bus1=House.1.2 kv=0.24 pmpp=5 kva=6 irradiance=0.8
New Generator.Gen bus1=C.3 phases=1 kv=7.2 kw=50 kvar=10
Load.H1.kw=4
Edit Load.H2 kw=2.5
New RegControl.Reg transformer=Sub winding=2
Set VoltageBases=[115, 12.47, 0.208]
Calcv
Solve
"""

GEOMETRY = """New Circuit.g basekv=12.47 bus1=s
New WireData.phase Rac=0.306 Runits=mi GMRac=0.0244 GMRunits=ft radius=0.36 radunits=in
New WireData.neutral Rac=0.592 Runits=mi GMRac=0.00814 GMRunits=ft radius=0.28 radunits=in
New LineGeometry.pole nconds=4 nphases=3 reduce=yes
~ cond=1 wire=phase x=0 h=29 units=ft
~ cond=2 wire=phase x=2.5 h=29 units=ft
~ cond=3 wire=phase x=7 h=29 units=ft
~ cond=4 wire=neutral x=4 h=25 units=ft
New Linecode.triplex nphases=3 rmatrix=[0.4 | 0.1 0.4 | 0.1 0.1 0.4] units=kft
~ xmatrix=[0.3 | 0.2 0.3 | 0.2 0.2 0.3]
~ Neutral=2 Kron=yes
New Line.overhead bus1=s bus2=t geometry=pole length=2 units=mi
New Line.cable bus1=t bus2=u linecode=triplex length=1000 units=ft
New Line.plain bus1=t bus2=v phases=2 rmatrix=(0.5 0.1 | 0.1 0.5) xmatrix=(1 0.4 | 0.4 1)
New Reactor.choke bus1=t bus2=w x=1.5 r=0.2
"""


def pack(files: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def read_script(text: str) -> ReadGrid:
    return network.read(Request("opendss", {"file": text.encode()}))


def read_files(files: Mapping[str, str | bytes]) -> ReadGrid:
    return network.read(Request("opendss", {"file": pack(files)}))


def phases_of(read: ReadGrid) -> dict[str, str]:
    """Return the class of every bus in the label set ``phases``; "" for unknown."""
    labels = next(one for one in read.label_sets if one.name == "phases")
    names = (*labels.class_names, "")
    return {
        bus: names[code]
        for bus, code in zip(read.grid.bus_ids, labels.classes.tolist(), strict=True)
    }

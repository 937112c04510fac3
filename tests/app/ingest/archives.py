"""Small hand-made grids of the formats that come as archives or netCDF."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np
import scipy.io


def make_zip(files: Mapping[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


SIMBENCH = {
    "Node.csv": "id;type;vmSetp;vaSetp;vmR;vmMin;vmMax;substation;coordID;subnet;voltLvl\n"
    "H;busbar;1.0;0;110;NULL;NULL;S1;c1;HV1;3\n"
    "M a;auxiliary;NULL;NULL;20;NULL;NULL;NULL;c2;MV1.101;5\n"
    "M;busbar;NULL;NULL;20;NULL;NULL;S1;c2;MV1.101;5\n"
    "N;busbar;NULL;NULL;20;NULL;NULL;NULL;c3;MV1.101_Feeder1;5\n"
    "N a;auxiliary;NULL;NULL;20;NULL;NULL;NULL;c3;MV1.101_Feeder1;5\n"
    "L;busbar;NULL;NULL;20;NULL;NULL;NULL;c9;LV1.101;7\n",
    "Switch.csv": "id;nodeA;nodeB;type;cond;substation;subnet;voltLvl\n"
    "s1;M;M a;CB;1;S1;MV1.101;5\n"
    "s2;N;N a;CB;0;NULL;MV1.101;5\n",
    "Line.csv": "id;nodeA;nodeB;type;length;loadingMax;subnet;voltLvl\n"
    "l1;M a;N;T;2;100;MV1.101;5\n"
    "l2;M;N a;T;1;100;MV1.101;5\n"
    "d1;N;L;D;5;100;MV1.101;5\n",
    "LineType.csv": "id;r;x;b;iMax;type\nT;0.4;0.8;10;500;cable\n",
    "DCLineType.csv": "id;pDCLine;relPLosses;fixPLosses;pMax;qMinA;qMinB;qMaxA;qMaxB\n"
    "D;3;1;0;5;0;0;1;1\n",
    "Transformer.csv": "id;nodeHV;nodeLV;type;tappos;autoTap;autoTapSide;loadingMax;substation;"
    "subnet;voltLvl\nt1;H;M;X;2;0;HV;100;S1;HV1;4\n",
    "TransformerType.csv": "id;sR;vmHV;vmLV;va0;vmImp;pCu;pFe;iNoLoad;tapable;tapside;dVm;dVa;"
    "tapNeutr;tapMin;tapMax\nX;25;110;20;150;10;100;0;1;1;HV;1.5;0;0;-9;9\n",
    "Load.csv": "id;node;profile;pLoad;qLoad;sR;subnet;voltLvl\n"
    "a;N;P;3;1;4;MV1.101_Feeder1;5\n"
    "b;M a;P;1;0.5;2;MV1.101;5\n"
    "c;N;P;9;9;9;MV1.101_LV1.101_eq;5\n",
    "RES.csv": "id;node;type;profile;calc_type;pRES;qRES;sR;subnet;voltLvl\n"
    "r;N;PV;P;pq;2;0;2;MV1.101;5\nw;N;Wind;P;pq;5;0;5;MV1.101;5\n",
    "ExternalNet.csv": "id;node;calc_type;dspf;pExtNet;qExtNet;pWardShunt;qWardShunt;rXWard;xXWard;"
    "vmXWard;subnet;voltLvl\ne;H;vavm;1;NULL;NULL;NULL;NULL;NULL;NULL;NULL;HV1_EHV1_eq;3\n",
    "Coordinates.csv": "id;x;y;subnet;voltLvl\nc1;9.5;52.5;HV1;3\nc2;9.5;52.5;MV1.101;5\n"
    "c3;9.6;52.6;MV1.101;5\n",
}
PYPSA = {
    "net/network.csv": "name,pypsa_version,srid\nsmall net,1.1.2,4326\n",
    "net/snapshots.csv": ",snapshot\n0,now\n1,later\n",
    "net/buses.csv": "name,v_nom,x,y,carrier,operator,country,substation\n"
    "A,380,10,50,AC,TenneT,DE,north\n"
    "B,380,10.5,50,AC,tennet ;x,DE,\n"
    "C,220,10.5,50,AC,Amprion,DE,north\n"
    "D,220,11,51,AC,Amprion,FR,\n",
    "net/lines.csv": "name,bus0,bus1,type,length,num_parallel,r,x,b,s_nom,active\n"
    "1,A,B,Al/St 240/40 4-bundle 380.0,100,2,0,0,0,1000,True\n"
    "2,C,D,,0,1,4.84,48.4,1e-5,inf,True\n"
    "3,A,D,unknown type,10,1,0,0,0,5,False\n",
    "net/transformers.csv": "name,bus0,bus1,x,s_nom,tap_ratio,tap_side,phase_shift\n"
    "t,B,C,0.1,2000,1.1,0,5\n",
    "net/links.csv": "name,bus0,bus1,p_nom,bus2\ndc,A,D,600,\n",
    "net/loads.csv": "name,bus,p_set,q_set\nl1,A,10,1\nl2,D,20,2\n",
    "net/loads-p_set.csv": ",l2\nnow,35.5\nlater,99\n",
    "net/generators.csv": "name,bus,control,p_nom,carrier,p_set\n"
    "g1,B,Slack,100,gas,40\ng2,B,PV,300,wind,0\n",
    "net/stores.csv": "name,bus\ns,A\n",
}
GRIDKIT = {
    "grid/buses.csv": "bus_id,station_id,voltage,dc,symbol,under_construction,tags,x,y\n"
    '1,7,380,f,Substation,f,\'"TSO"=>"REN", "country"=>"PT", "name"=>"Rio, Maior"\','
    "-8.9,39.3\n"
    '2,7,220,f,Substation,f,\'"TSO"=>"None", "country"=>"PT"\',-8.9,39.3\n'
    "3,8,,t,joint,,,-7,40\n",
    "grid/lines.csv": "line_id,bus0,bus1,voltage,length,under_construction,tags,geometry\n"
    "9,2,3,220,1000,True,,'LINESTRING(1 2,3 4)'\n",
    "grid/transformers.csv": "transformer_id,bus0,bus1\n5,1,2\n",
    "grid/links.csv": "link_id,bus0,bus1\n6,3,1\n6,3,3\n",
    "grid/generators.csv": "generator_id,bus_id,technology,capacity\n1,1,Wind farm,-1\n"
    "2,1,Nuclear,900\n",
}


def make_netcdf(**changes: Any) -> bytes:
    """PyPSA's netCDF 4: three buses, two lines, a series of loads."""
    text = h5py.string_dtype()
    parts: dict[str, Any] = {
        "buses_i": np.array(["A", "B", "C"], dtype=object),
        "buses_v_nom": np.array([380.0, 380.0, 220.0]),
        "buses_x": np.array([10.0, 10.5, 10.5]),
        "buses_y": np.array([50.0, 50.0, 50.0]),
        "buses_operator": np.array(["TenneT", "Amprion", "Amprion"], dtype=object),
        "lines_i": np.array(["1", "2"], dtype=object),
        "lines_bus0": np.array(["A", "B"], dtype=object),
        "lines_bus1": np.array(["B", "C"], dtype=object),
        "lines_x": np.array([14.44, 28.88]),
        "loads_i": np.array(["l"], dtype=object),
        "loads_bus": np.array(["C"], dtype=object),
        "loads_t_p_set": np.array([[7.0], [8.0]]),
        "loads_t_p_set_i": np.array(["l"], dtype=object),
    } | changes
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.attrs["network_name"] = "small"
        file.attrs["network_srid"] = 4326
        for name, values in parts.items():
            if isinstance(values, np.ndarray) and values.dtype == object:
                file.create_dataset(name, data=values, dtype=text)
            elif isinstance(values, np.ndarray):
                file.create_dataset(name, data=values)
            else:
                values(file, name)
    return stream.getvalue()


def make_classic() -> bytes:
    """The same as a classic netCDF 3 file, whose texts are arrays of characters."""
    stream: Any = io.BytesIO()
    file: Any = scipy.io.netcdf_file(stream, "w")
    file.network_name = "small"
    for name, size in (("buses_i", 2), ("lines_i", 1), ("string", 3)):
        file.createDimension(name, size)
    _write_texts(file, "buses_i", "buses_i", ("A", "BB"))
    _write_texts(file, "lines_i", "lines_i", ("1",))
    _write_texts(file, "lines_bus0", "lines_i", ("A",))
    _write_texts(file, "lines_bus1", "lines_i", ("BB",))
    voltage = file.createVariable("buses_v_nom", "d", ("buses_i",))
    voltage[:] = np.array([380.0, 220.0])
    file.flush()
    content: bytes = stream.getvalue()
    return content


def _write_texts(file: Any, name: str, dimension: str, texts: tuple[str, ...]) -> None:
    variable = file.createVariable(name, "c", (dimension, "string"))
    for row, text in enumerate(texts):
        variable[row] = np.array(list(text.ljust(3, "\0")), dtype="S1")
